//! T0015: missing-semicolon. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0015", "missing-semicolon", include_str!("missing_semicolon.md"));

pub(crate) fn missing_semicolon(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "expected `;` here")
}
