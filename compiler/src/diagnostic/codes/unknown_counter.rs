//! T0747: unknown-counter. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0747", "unknown-counter", include_str!("unknown_counter.md"));

pub(crate) fn unknown_counter(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no counter `{name}`"))
        .at(span, "unknown counter")
        .suggest(span, nearest)
}
