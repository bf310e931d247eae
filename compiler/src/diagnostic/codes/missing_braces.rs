//! T0024: missing-braces. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0024", "missing-braces", include_str!("missing_braces.md"));

/// Raises it.
pub fn missing_braces(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "stands without braces")
}
