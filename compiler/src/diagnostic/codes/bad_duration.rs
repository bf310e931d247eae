//! T0306: bad-duration. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0306", "bad-duration", include_str!("bad_duration.md"));

/// Raises it.
pub fn bad_duration(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "not a duration").at(span, reason).help("write a duration: `stop after 30s;`")
}
