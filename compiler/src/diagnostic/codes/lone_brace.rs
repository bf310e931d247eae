//! T0032: lone-brace. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0032", "lone-brace", include_str!("lone_brace.md"));

pub(crate) fn lone_brace(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened nowhere")
}
