//! T0721: name-too-long. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0721", "name-too-long", include_str!("name_too_long.md"));

pub(crate) fn name_too_long(span: Span, what: &str, length: usize, longest: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the name of {what} can have at most {} characters", Grouped(longest)))
        .at(span, format!("this has {}", Grouped(length)))
}
