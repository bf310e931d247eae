//! T0250: bitwise-alternatives. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Applicability, Code, Diagnostic, Edit, Fix, Level};

pub(crate) static CODE: Code =
    Code::lint("T0250", "bitwise-alternatives", Level::Warn, include_str!("bitwise_alternatives.md"));

/// Reports `x == a | b`, whose values are `set`; `edits` make a set of it, if there are any.
pub(crate) fn alternatives(span: Span, operand: &str, set: &str, edits: Vec<Edit>) -> Diagnostic {
    let said =
        Diagnostic::lint(&CODE, "`|` joins the bits of the values to one number; it does not list them")
            .at(span, "one value")
            .note("parentheses around it say that the number is meant");
    match edits.is_empty() {
        false => {
            let title = format!("write `{operand} in {set}` for one of them");
            said.offer(Fix::several(Applicability::Maybe, title, edits))
        }
        true => said.help(format!("write `!({operand} in {set})` for none of them")),
    }
}

/// Reports `x & a | b`, which is never 0; `parts` are `a | b`.
pub(crate) fn mask(op: Span, parts: Span) -> Diagnostic {
    let edits = vec![
        Edit { span: parts.before(), text: "(".to_owned() },
        Edit { span: parts.behind(), text: ")".to_owned() },
    ];
    Diagnostic::lint(&CODE, "`&` binds tighter than `|`: the bits behind `|` are always set")
        .at(op, "joined to the result of `&`")
        .offer(Fix::several(Applicability::Maybe, "put the bits in parentheses", edits))
}
