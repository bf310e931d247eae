//! T0025: wrong-set. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0025", "wrong-set", include_str!("wrong_set.md"));

pub(crate) fn wrong_set(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened with the wrong bracket")
}
