//! T0306: bad-duration. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0306", "bad-duration", include_str!("bad_duration.md"));

/// Raises it; `right` is a clause with a duration as it is meant.
pub fn bad_duration(span: Span, reason: &str, right: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "not a duration").at(span, reason).help(format!("write a duration: `{right}`"))
}
