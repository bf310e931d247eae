//! T0208: no-comparand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0208", "no-comparand", include_str!("no_comparand.md"));

/// Raises it.
pub fn no_comparand(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("this compares {what}"))
        .at(span, "expected a number, or a field and a constant")
        .note("numbers are compared with each other, text and masks of CPUs with constants")
}
