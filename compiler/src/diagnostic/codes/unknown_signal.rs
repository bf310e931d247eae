//! T0128: unknown-signal. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0128", "unknown-signal", include_str!("unknown_signal.md"));

pub(crate) fn unknown_signal(span: Span, name: &str, near: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no signal `{name}`"))
        .at(span, "unknown signal")
        .suggest(span, near)
}
