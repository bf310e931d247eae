//! T0012: unexpected. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0012", name: "unexpected", page: include_str!("unexpected.md") };

/// Raises it.
pub fn unexpected(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "here")
}
