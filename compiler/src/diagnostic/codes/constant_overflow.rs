//! T0704: constant-overflow. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0704", "constant-overflow", include_str!("constant_overflow.md"));

pub(crate) fn constant_overflow(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the result does not fit 64 bits")
        .at(span, "less than -2^63 or more than 2^64-1")
        .note("constants do not wrap; write `as u64` behind each operand to keep its low 64 bits")
}

/// Reports a negative duration.
pub(crate) fn negative_duration(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the result is a negative duration").at(span, "expected 0 or more")
}
