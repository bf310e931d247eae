//! T0038: repeated-part. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0038", "repeated-part", include_str!("repeated_part.md"));

pub(crate) fn repeated_part(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "again")
}
