//! T0008: invalid-escape. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0008", "invalid-escape", include_str!("invalid_escape.md"));

pub(crate) fn invalid_escape(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "unknown escape")
}
