//! T0034: unterminated-c. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0034", "unterminated-c", include_str!("unterminated_c.md"));

/// Raises it.
pub fn unterminated_c(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "begins here")
}
