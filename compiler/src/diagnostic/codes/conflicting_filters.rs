//! T0302: conflicting-filters. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0302", "conflicting-filters", include_str!("conflicting_filters.md"));

pub(crate) fn conflicting_filters(span: Span, first: Span, event: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{event}` gets two different filters"))
        .at(span, "this filter")
        .and_at(first, "and this one")
        .help("the kernel has one filter per event: join them with `||`, or take the event out of one with `except`")
}
