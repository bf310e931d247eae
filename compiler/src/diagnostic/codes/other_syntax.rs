//! T0023: other-syntax. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0023", name: "other-syntax", page: include_str!("other_syntax.md") };

/// Raises it.
pub fn other_syntax(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "here")
}
