//! T0017: unmatched-delimiter. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0017", "unmatched-delimiter", include_str!("unmatched_delimiter.md"));

pub(crate) fn unmatched_delimiter(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "closes nothing")
}
