//! T0007: unterminated-comment. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0007", "unterminated-comment", include_str!("unterminated_comment.md"));

pub(crate) fn unterminated_comment(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "begins here")
}
