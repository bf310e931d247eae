//! T0026: negated-set. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0026", "negated-set", include_str!("negated_set.md"));

pub(crate) fn negated_set(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not an operator")
}
