//! T0206: not-a-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

pub(crate) static CODE: Code = Code::error("T0206", "not-a-condition", include_str!("not_a_condition.md"));

pub(crate) fn not_a_condition(span: Span, is: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{is} is not a condition")).at(span, "expected a comparison")
}

/// Reports a string alone.
pub(crate) fn text(span: Span, name: &str) -> Diagnostic {
    not_a_condition(span, "a string").guess(
        format!("write `{name} != \"\"` for a string that is not empty"),
        span,
        format!("{name} != \"\""),
    )
}

/// Reports `!x` of a string; `negated` says that another `!` is before it, which binds tighter than `==`.
pub(crate) fn negated_text(span: Span, name: &str, op: Span, negated: bool) -> Diagnostic {
    let (open, close) = if negated { ("(", " == \"\")") } else { ("", " == \"\"") };
    let instead = format!("{open}{name}{close}");
    not_a_condition(span, "a string").guess(
        format!("write `{instead}` for an empty string"),
        op.to(span),
        instead,
    )
}

/// Reports values behind `x == 1 ||`, which with it are `set`; `edits` make the set of them, if there are any.
pub(crate) fn value_beside(
    span: Span,
    (operand, symbol): (&str, &str),
    set: &str,
    edits: Vec<Edit>,
) -> Diagnostic {
    let said = Diagnostic::error(&CODE, "a value is not a condition")
        .at(span, format!("not compared with `{operand}`"));
    match edits.is_empty() {
        false => {
            let title = format!("write `{operand} in {set}` for one of the values");
            said.offer(Fix::several(Applicability::Maybe, title, edits))
        }
        true => said
            .help(format!("write `{operand} {symbol} ..` for each value, with `&&` between them"))
            .help(format!("for none of the values, write `!({operand} in {set})`")),
    }
}
