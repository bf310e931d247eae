//! T0039: misplaced-part. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0039", "misplaced-part", include_str!("misplaced_part.md"));

pub(crate) fn misplaced_part(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "belongs to the class")
}
