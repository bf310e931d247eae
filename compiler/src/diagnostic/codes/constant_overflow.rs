//! T0704: constant-overflow. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0704", "constant-overflow", include_str!("constant_overflow.md"));

pub(crate) fn constant_overflow(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the result of this operation does not fit in 64 bits")
        .at(span, "below -2^63 or above 2^64-1")
        .note("operations on constants do not wrap")
        .help("write `as u64` after each operand to keep its low 64 bits")
}

/// Reports a negative duration.
pub(crate) fn negative_duration(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the result of this operation is a negative duration")
        .at(span, "expected 0 or more")
}
