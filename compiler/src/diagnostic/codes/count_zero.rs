//! T0313: count-zero. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;
use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0313", "count-zero", include_str!("count_zero.md"));

/// Raises it.
pub fn count_zero(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a trigger with count 0 never fires").at(span, "expected 1 or more")
}

/// Raises it for `stop when`, which would wait for nothing.
pub fn of_stop(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "to stop at the event number 0 means nothing").at(span, "expected 1 or more")
}

/// Raises it for a negative number, which the grammar has met.
pub fn below_one(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "expected 1 or more")
}
