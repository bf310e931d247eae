//! T0033: empty-format. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0033", "empty-format", include_str!("empty_format.md"));

pub(crate) fn empty_format(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "nothing follows")
}
