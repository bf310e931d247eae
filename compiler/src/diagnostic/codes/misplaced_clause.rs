//! T0014: misplaced-clause. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0014", "misplaced-clause", include_str!("misplaced_clause.md"));

pub(crate) fn misplaced_clause(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not here")
}
