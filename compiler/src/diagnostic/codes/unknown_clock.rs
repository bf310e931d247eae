//! T0106: unknown-clock. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0106", "unknown-clock", include_str!("unknown_clock.md"));

pub(crate) fn unknown_clock(
    span: Span,
    name: &str,
    kernel: &str,
    nearest: &[&str],
    known: &[&str],
) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kernel} has no trace clock `{name}`"))
        .at(span, "unknown clock")
        .suggest(span, nearest)
        .note(format!("its clocks are {}", known.join(", ")))
}
