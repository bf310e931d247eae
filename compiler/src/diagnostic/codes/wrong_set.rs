//! T0025: wrong-set. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0025", "wrong-set", include_str!("wrong_set.md"));

/// Raises it.
pub fn wrong_set(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened with the wrong bracket")
}
