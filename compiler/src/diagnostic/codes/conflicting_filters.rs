//! T0302: conflicting-filters. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0302", "conflicting-filters", include_str!("conflicting_filters.md"));

pub(crate) fn conflicting_filters(span: Span, first: Span, event: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{event}` has two different filters"))
        .at(span, "second filter")
        .and_at(first, "first filter")
        .help("the kernel has one filter per event: join them with `||`, or exclude the event from one clause with `except`")
}
