//! T0030: invalid-cpus. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0030", "invalid-cpus", include_str!("invalid_cpus.md"));

pub(crate) fn invalid_cpus(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "invalid")
}
