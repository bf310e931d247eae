//! T0706: shift-too-far. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0706", "shift-too-far", include_str!("shift_too_far.md"));

pub(crate) fn shift_too_far(span: Span, count: i128) -> Diagnostic {
    Diagnostic::error(&CODE, format!("invalid shift by {count} bits")).at(span, "expected 0 to 63")
}
