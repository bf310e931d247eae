//! T0041: not-implemented. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0041", "not-implemented", include_str!("not_implemented.md"));

pub(crate) fn not_implemented(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a part of a later version of the language")
}
