//! T0009: invalid-number. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0009", "invalid-number", include_str!("invalid_number.md"));

/// Raises it.
pub fn invalid_number(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not a number")
}
