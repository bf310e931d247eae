//! T0760: no-value. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

pub(crate) static CODE: Code = Code::error("T0760", "no-value", include_str!("no_value.md"));

/// Where an operation stands.
#[derive(Clone, Copy)]
pub(crate) enum Where {
    /// In this condition, which is false without a value.
    Condition(Span),
    /// In a value.
    Value,
}

/// Reports a divisor that is 0.
pub(crate) fn always_by_zero(divisor: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "division by zero").at(divisor, "this is zero")
}

/// Reports a divisor that can be 0. `text` is the divisor as it is written, where it can be repeated.
pub(crate) fn by_zero(whole: Span, divisor: Span, text: Option<&str>, place: Where) -> Diagnostic {
    let said = Diagnostic::error(&CODE, "this division has no value where the divisor is 0")
        .at(divisor, "can be 0")
        .note("in the kernel a division by 0 stops the machine");
    asked(said, text.map(|text| format!("{text} != 0")), whole, place)
}

/// Reports a divisor that can be -1 below a number that can be the smallest one.
pub(crate) fn by_minus_one(divisor: Span, op: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` has no value for the smallest number of 64 bits and -1"))
        .at(divisor, "can be -1")
        .note("in the kernel such a division stops the machine")
        .help("ask for a divisor above 0 first, or divide numbers of 32 bits")
}

/// Reports a shift by a constant outside of 0 to 63.
pub(crate) fn shift_by(count: Span, bits: i128) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a shift by {bits} bits has no value")).at(count, "expected 0 to 63")
}

/// Reports a constant index beyond an array of so many elements.
pub(crate) fn beyond(index: Span, count: u64) -> Diagnostic {
    let expected = match count.saturating_sub(1) {
        0 => "expected 0".to_owned(),
        last => format!("expected 0 to {last}"),
    };
    Diagnostic::error(&CODE, has(count)).at(index, expected)
}

fn has(count: u64) -> String {
    let elements = if count == 1 { "element" } else { "elements" };
    format!("the array has {count} {elements}")
}

/// Reports a shift whose count can be outside of 0 to 63. `text` is the count as it is written, where it can be repeated,
/// and whether it can be negative.
pub(crate) fn shift(whole: Span, count: Span, text: Option<(&str, bool)>, place: Where) -> Diagnostic {
    let said = Diagnostic::error(&CODE, "this shift has no value for other than 0 to 63 bits")
        .at(count, "can be another number");
    asked(said, text.map(|text| within(text, 63)), whole, place)
}

/// Reports an index that can be beyond an array of so many elements.
pub(crate) fn index(
    whole: Span,
    index: Span,
    text: Option<(&str, bool)>,
    count: u64,
    place: Where,
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, has(count)).at(index, "can be the index of none");
    asked(said, text.map(|text| within(text, count.saturating_sub(1))), whole, place)
}

/// Reports an element of an array whose length differs between records.
pub(crate) fn of_elements(whole: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the array need not have this element")
        .at(whole, "its length differs between records")
        .help("print the array as a whole, or record the element in a field of its own")
}

/// Returns the question whether a number is between 0 and another one.
fn within((text, is_signed): (&str, bool), last: u64) -> String {
    match is_signed {
        true => format!("{text} in {{0..={last}}}"),
        false => format!("{text} <= {last}"),
    }
}

/// Offers to ask first. A condition without a value is false, which is what the question in front of it makes of it; what a
/// value is then, only the user knows.
fn asked(said: Diagnostic, question: Option<String>, whole: Span, place: Where) -> Diagnostic {
    let Some(question) = question else {
        return said.help("ask first whether it has one, in front of `&&` or `?`");
    };
    let (applicability, title, around, before, behind) = match place {
        Where::Condition(atom) => {
            (Applicability::Always, "ask for it first", atom, format!("({question} && "), ")")
        }
        Where::Value => {
            (Applicability::Maybe, "take 0 where there is none", whole, format!("({question} ? "), " : 0)")
        }
    };
    said.offer(Fix::several(
        applicability,
        title,
        vec![
            Edit { span: around.before(), text: before },
            Edit { span: around.behind(), text: behind.to_owned() },
        ],
    ))
}
