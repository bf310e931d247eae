//! T0003: too-deep. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0003", "too-deep", include_str!("too_deep.md"));

pub(crate) fn too_deep(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "too deep")
}
