//! T0313: count-zero. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0313", "count-zero", include_str!("count_zero.md"));

pub(crate) fn count_zero(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of a trigger must not be 0")
        .at(span, "expected 1 or more")
        .note("a trigger with the count 0 never fires")
}

/// Reports `stop on EVENT` with the count 0.
pub(crate) fn of_stop(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of `stop on EVENT` must not be 0")
        .at(span, "expected 1 or more")
        .note("the first event has the number 1")
}

/// Reports a negative count, which the grammar finds.
pub(crate) fn below_one(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "expected 1 or more")
}
