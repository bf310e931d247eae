//! T0010: number-too-large. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0010", "number-too-large", include_str!("number_too_large.md"));

pub(crate) fn number_too_large(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "more than 64 bits")
}
