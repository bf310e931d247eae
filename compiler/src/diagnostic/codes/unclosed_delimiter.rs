//! T0016: unclosed-delimiter. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0016", "unclosed-delimiter", include_str!("unclosed_delimiter.md"));

/// Raises it.
pub fn unclosed_delimiter(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened here")
}
