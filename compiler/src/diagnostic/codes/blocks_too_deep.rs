//! T0028: blocks-too-deep. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0028", "blocks-too-deep", include_str!("blocks_too_deep.md"));

pub(crate) fn blocks_too_deep(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "one level too many")
}
