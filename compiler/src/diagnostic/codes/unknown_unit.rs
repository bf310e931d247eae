//! T0011: unknown-unit. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0011", "unknown-unit", include_str!("unknown_unit.md"));

pub(crate) fn unknown_unit(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "unknown unit")
}
