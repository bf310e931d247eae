//! T0313: count-zero. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0313", "count-zero", include_str!("count_zero.md"));

pub(crate) fn count_zero(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of a trigger must not be 0")
        .at(span, "expected 1 or more")
        .note("a trigger with the count 0 never fires")
        .guess(WITHOUT, span, "")
}

/// Reports `stop on EVENT` with the count 0.
pub(crate) fn of_stop(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the count of `stop on EVENT` must not be 0")
        .at(span, "expected 1 or more")
        .note("the first event has the number 1")
        .guess("leave `count` out, to end at the first", span, "")
}

/// Reports a negative count, which the grammar finds; `whole` is the count with its word.
pub(crate) fn below_one(error: &SyntaxError, whole: Span) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "expected 1 or more").guess(WITHOUT, whole, "")
}

/// What a count below 1 probably means.
const WITHOUT: &str = "leave `count` out, for no limit";
