//! T0027: misplaced-choice. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0027", "misplaced-choice", include_str!("misplaced_choice.md"));

pub(crate) fn misplaced_choice(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "chooses a value")
}
