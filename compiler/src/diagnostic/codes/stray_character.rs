//! T0004: stray-character. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0004", "stray-character", include_str!("stray_character.md"));

pub(crate) fn stray_character(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "not part of the language")
}
