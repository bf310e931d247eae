//! T0016: unclosed-delimiter. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0016", "unclosed-delimiter", include_str!("unclosed_delimiter.md"));

pub(crate) fn unclosed_delimiter(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "opened here")
}
