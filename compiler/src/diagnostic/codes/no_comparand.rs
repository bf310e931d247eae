//! T0208: no-comparand. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0208", "no-comparand", include_str!("no_comparand.md"));

/// Raises it.
pub fn no_comparand(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("this compares {what}"))
        .at(span, "expected a field on one side and a constant on the other")
        .note("the kernel's filter compares a field with a constant")
}
