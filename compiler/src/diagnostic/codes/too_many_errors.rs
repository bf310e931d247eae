//! T0002: too-many-errors. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0002", "too-many-errors", include_str!("too_many_errors.md"));

/// Raises it.
pub fn too_many_errors(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "")
}
