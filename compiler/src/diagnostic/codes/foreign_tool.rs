//! T0134: foreign-tool. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0134", "foreign-tool", include_str!("foreign_tool.md"));

pub(crate) fn foreign_tool(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "syntax of another tool")
}

/// Reports data that was given in the place of a text.
pub(crate) fn not_a_source(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "data")
}
