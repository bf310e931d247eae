//! T0004: stray-character. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0004", "stray-character", include_str!("stray_character.md"));

/// Raises it.
pub fn stray_character(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not part of the language")
}
