//! T0005: wrong-quotes. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0005", "wrong-quotes", include_str!("wrong_quotes.md"));

/// Raises it.
pub fn wrong_quotes(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not a string here")
}
