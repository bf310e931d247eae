//! T0131: missing-connector. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0131", "missing-connector", include_str!("missing_connector.md"));

pub(crate) fn missing_connector(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a second condition")
}
