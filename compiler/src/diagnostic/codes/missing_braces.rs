//! T0024: missing-braces. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0024", "missing-braces", include_str!("missing_braces.md"));

pub(crate) fn missing_braces(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "needs braces")
}
