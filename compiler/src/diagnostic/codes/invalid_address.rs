//! T0029: invalid-address. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0029", "invalid-address", include_str!("invalid_address.md"));

pub(crate) fn invalid_address(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "invalid")
}
