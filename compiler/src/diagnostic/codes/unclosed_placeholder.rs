//! T0031: unclosed-placeholder. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0031", "unclosed-placeholder", include_str!("unclosed_placeholder.md"));

pub(crate) fn unclosed_placeholder(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened here")
}
