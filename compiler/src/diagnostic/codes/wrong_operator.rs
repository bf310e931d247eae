//! T0019: wrong-operator. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0019", "wrong-operator", include_str!("wrong_operator.md"));

/// Raises it.
pub fn wrong_operator(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "of another language")
}
