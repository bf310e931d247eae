//! T0037: wrong-separator. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0037", "wrong-separator", include_str!("wrong_separator.md"));

pub(crate) fn wrong_separator(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "ends a statement")
}
