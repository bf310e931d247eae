//! T0134: foreign-tool. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0134", "foreign-tool", include_str!("foreign_tool.md"));

/// Raises it.
pub fn foreign_tool(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not of this language")
}
