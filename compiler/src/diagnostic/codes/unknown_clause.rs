//! T0013: unknown-clause. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0013", "unknown-clause", include_str!("unknown_clause.md"));

pub(crate) fn unknown_clause(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "unknown word")
}

pub(crate) fn missing_trace(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "an event begins no clause")
}
