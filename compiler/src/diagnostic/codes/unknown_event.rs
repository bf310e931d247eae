//! T0101: unknown-event. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0101", "unknown-event", include_str!("unknown_event.md"));

/// Reports `stop on SIGUSR1`.
pub(crate) fn is_signal(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no event `{name}`")).at(span, "the name of a signal").fix(
        format!("write `signal {name}`"),
        span,
        format!("signal {name}"),
    )
}

pub(crate) fn unknown_event(span: Span, name: &str, kernel: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no event `{name}` in {kernel}"))
        .at(span, "unknown event")
        .suggest(span, nearest)
}
