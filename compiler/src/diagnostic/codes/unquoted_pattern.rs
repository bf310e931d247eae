//! T0021: unquoted-pattern. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0021", "unquoted-pattern", include_str!("unquoted_pattern.md"));

pub(crate) fn unquoted_pattern(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a pattern")
}
