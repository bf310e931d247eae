//! T0210: constant-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use super::contradiction::Other;
use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0210", "constant-condition", Level::Warn, include_str!("constant_condition.md"));

/// The label of a condition that is false for every record.
const NEVER: &str = "never true";

pub(crate) fn constant_condition(span: Span, value: bool) -> Diagnostic {
    let says = if value { "always true" } else { NEVER };
    Diagnostic::lint(&CODE, format!("this condition is {says}")).at(span, says)
}

/// Reports a condition that the range of a number decides.
pub(crate) fn of_range(span: Span, value: bool, range: Option<(i128, i128)>) -> Diagnostic {
    because(constant_condition(span, value), range)
}

/// Reports a part of a condition; `part` is its text, in quotes.
pub(crate) fn part(span: Span, part: &str, value: bool, range: Option<(i128, i128)>) -> Diagnostic {
    let says = if value { "always true" } else { NEVER };
    because(Diagnostic::lint(&CODE, format!("{part} is {says}")).at(span, says), range)
}

/// Reports two parts of which one always holds; `one`, at `span`, is in quotes.
pub(crate) fn exhaustive(span: Span, one: &str, other: &Other) -> Diagnostic {
    let diagnostic = Diagnostic::lint(&CODE, format!("{one} or {} is always true", other.text));
    let diagnostic = match one.contains(" != ") && other.text.contains(" != ") {
        true => diagnostic.help("write `&&` between them for a value that is neither"),
        false => diagnostic,
    };
    if other.is_at(span) {
        return diagnostic.at(span, "always true");
    }
    other.mark(diagnostic.at(span, format!("always true together with {}", other.text)))
}

fn because(diagnostic: Diagnostic, range: Option<(i128, i128)>) -> Diagnostic {
    match range {
        Some((first, last)) if first == last => diagnostic.note(format!("the value is always {first}")),
        Some((first, last)) => diagnostic.note(format!("the value is in the range {first} to {last}")),
        None => diagnostic,
    }
}
