//! T0011: unknown-unit. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0011", "unknown-unit", include_str!("unknown_unit.md"));

/// Raises it.
pub fn unknown_unit(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "unknown unit")
}
