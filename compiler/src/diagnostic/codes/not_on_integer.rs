//! T0207: not-on-integer. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix};

pub(crate) static CODE: Code = Code::error("T0207", "not-on-integer", include_str!("not_on_integer.md"));

/// Reports `!x` as a condition; `negated` says that another `!` is before it, which binds tighter than `==`.
pub(crate) fn alone(operand: Span, text: &str, op: Span, negated: bool) -> Diagnostic {
    let (open, close) = if negated { ("(", " == 0)") } else { ("", " == 0") };
    let edits = vec![edit(op, open), edit(operand.behind(), close)];
    let title = format!("write `{open}{text}{close}`");
    raise((operand, "an integer"), op).offer(Fix::several(Applicability::Always, title, edits))
}

/// Reports `!x` as one side of a comparison. `operand` is its span and its type in words; `comparison` is the whole
/// comparison, where it can be negated.
pub(crate) fn compared(operand: (Span, &str), text: &str, op: Span, comparison: Option<Span>) -> Diagnostic {
    let title = format!("put the comparison in parentheses: `!({text} ..)`");
    match comparison {
        None => raise(operand, op).help(title),
        Some(whole) => {
            let edits = vec![edit(op.behind(), "("), edit(whole.behind(), ")")];
            raise(operand, op).offer(Fix::several(Applicability::Maybe, title, edits))
        }
    }
}

fn raise((operand, is): (Span, &str), op: Span) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`!` takes a condition, not {is}"))
        .at(op, "negates a condition")
        .and_at(operand, is)
}

fn edit(span: Span, text: &str) -> Edit {
    Edit { span, text: text.to_owned() }
}
