//! T0006: unterminated-string. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0006", "unterminated-string", include_str!("unterminated_string.md"));

pub(crate) fn unterminated_string(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "begins here")
}
