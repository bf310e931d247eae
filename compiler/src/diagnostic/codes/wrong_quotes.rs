//! T0005: wrong-quotes. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0005", "wrong-quotes", include_str!("wrong_quotes.md"));

pub(crate) fn wrong_quotes(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not a string here")
}
