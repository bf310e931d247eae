//! T0126: useless-having. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0126", "useless-having", include_str!("useless_having.md"));

/// Reports a field that no event has; `before` are the spans of fields that remove the events that have this one.
pub(crate) fn useless_having(
    span: Span,
    set: Span,
    name: &str,
    before: &[Span],
    near: &[&str],
) -> Diagnostic {
    let (which, of) = match before {
        [] => ("no event", "of these events"),
        _ => ("no event that is left", "of these"),
    };
    let said = Diagnostic::error(&CODE, format!("{which} has a field `{name}`")).at(span, "no event is left");
    let takes_out = format!("removes the events that have `{name}`");
    let said = before.iter().fold(said, |said, &at| said.and_at(at, takes_out.clone()));
    said.and_at(set, of).suggest(span, near)
}
