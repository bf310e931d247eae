//! T0016: unclosed-delimiter. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0016", name: "unclosed-delimiter", page: include_str!("unclosed_delimiter.md") };

/// Raises it.
pub fn unclosed_delimiter(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened here")
}
