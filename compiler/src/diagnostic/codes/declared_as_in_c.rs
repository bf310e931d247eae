//! T0035: declared-as-in-c. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0035", "declared-as-in-c", include_str!("declared_as_in_c.md"));

pub(crate) fn declared_as_in_c(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "type before name, as in C")
}
