//! T0022: reserved-word. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0022", "reserved-word", include_str!("reserved_word.md"));

pub(crate) fn reserved_word(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "reserved")
}
