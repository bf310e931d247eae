//! T0029: invalid-address. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0029", "invalid-address", include_str!("invalid_address.md"));

/// Raises it.
pub fn invalid_address(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "wrong")
}
