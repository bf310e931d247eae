//! T0126: useless-having. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code =
    Code::error("T0126", "useless-having", include_str!("useless_having.md"));

/// Raises it.
pub fn useless_having(span: Span, set: Span, name: &str, near: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("none of the events has a field `{name}`"))
        .at(span, "no event is left")
        .and_at(set, "of these events")
        .suggest(span, near)
}
