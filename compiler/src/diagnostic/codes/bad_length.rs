//! T0717: bad-length. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0717", "bad-length", include_str!("bad_length.md"));

/// Raises it.
pub fn bad_length(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "an array has one element or more").at(span, "no number of elements")
}
