//! T0001: source-too-large. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0001", "source-too-large", include_str!("source_too_large.md"));

pub(crate) fn source_too_large(error: &SyntaxError) -> Diagnostic {
    Diagnostic::error(&CODE, error.to_string())
}
