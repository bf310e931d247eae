//! T0101: unknown-event. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0101", "unknown-event", include_str!("unknown_event.md"));

pub(crate) fn unknown_event(span: Span, name: &str, kernel: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no event `{name}` in {kernel}"))
        .at(span, "unknown event")
        .suggest(span, nearest)
}
