//! T0025: not-yet. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0025", "not-yet", include_str!("not_yet.md"));

/// Raises it.
pub fn not_yet(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not part of the language")
}
