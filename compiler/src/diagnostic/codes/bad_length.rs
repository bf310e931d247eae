//! T0717: bad-length. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0717", "bad-length", include_str!("bad_length.md"));

pub(crate) fn bad_length(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid array length").at(span, "expected a number of at least 1")
}
