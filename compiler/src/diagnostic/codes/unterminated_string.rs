//! T0006: unterminated-string. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0006", "unterminated-string", include_str!("unterminated_string.md"));

/// Raises it.
pub fn unterminated_string(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "begins here")
}
