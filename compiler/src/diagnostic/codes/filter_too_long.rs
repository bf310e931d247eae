//! T0402: filter-too-long. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0402", "filter-too-long", include_str!("filter_too_long.md"));

pub(crate) fn filter_too_long(span: Span, event: &str, length: usize, limit: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the filter of `{event}` would be {} bytes long", Grouped(length)))
        .at(span, format!("the kernel takes at most {}", Grouped(limit)))
        .help("shorten it: replace a list by a pattern, or numbers by a range")
}
