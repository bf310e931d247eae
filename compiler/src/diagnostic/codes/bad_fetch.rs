//! T0748: bad-fetch. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0748", "bad-fetch", include_str!("bad_fetch.md"));

pub(crate) fn bad_fetch(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid fetch argument").at(span, what)
}
