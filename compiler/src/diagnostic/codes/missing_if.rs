//! T0130: missing-if. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0130", "missing-if", include_str!("missing_if.md"));

/// Raises it.
pub fn missing_if(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "begins a condition")
}
