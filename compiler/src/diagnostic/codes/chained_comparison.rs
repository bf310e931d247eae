//! T0020: chained-comparison. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0020", "chained-comparison", include_str!("chained_comparison.md"));

pub(crate) fn chained_comparison(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a second comparison")
}
