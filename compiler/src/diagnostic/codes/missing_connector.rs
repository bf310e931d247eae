//! T0131: missing-connector. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0131", "missing-connector", include_str!("missing_connector.md"));

/// Raises it.
pub fn missing_connector(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a second condition")
}
