//! T0751: fetch-too-long. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0751", "fetch-too-long", include_str!("fetch_too_long.md"));

pub(crate) fn fetch_too_long(span: Span, length: usize, longest: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a fetch argument can have at most {} characters", Grouped(longest)))
        .at(span, format!("this has {} with its type", Grouped(length)))
}
