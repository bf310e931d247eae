//! T0036: missing-comma. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0036", "missing-comma", include_str!("missing_comma.md"));

/// Raises it.
pub fn missing_comma(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "between two members")
}
