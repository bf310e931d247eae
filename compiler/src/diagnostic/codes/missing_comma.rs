//! T0036: missing-comma. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0036", "missing-comma", include_str!("missing_comma.md"));

pub(crate) fn missing_comma(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "expected `,` here")
}
