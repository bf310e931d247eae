//! T0319: bad-marker. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0319", "bad-marker", include_str!("bad_marker.md"));

pub(crate) fn bad_marker(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid marker text").at(span, reason)
}
