//! T0306: bad-duration. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0306", "bad-duration", include_str!("bad_duration.md"));

/// Reports an invalid duration; `right` is a clause with a valid one.
pub(crate) fn bad_duration(span: Span, reason: &str, right: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid duration").at(span, reason).help(format!("write a duration: `{right}`"))
}
