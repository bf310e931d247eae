//! T0030: invalid-cpus. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0030", "invalid-cpus", include_str!("invalid_cpus.md"));

/// Raises it.
pub fn invalid_cpus(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "wrong")
}
