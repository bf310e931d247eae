//! T0034: unterminated-c. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0034", "unterminated-c", include_str!("unterminated_c.md"));

pub(crate) fn unterminated_c(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "begins here")
}
