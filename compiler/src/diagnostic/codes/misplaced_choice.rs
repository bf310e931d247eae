//! T0027: misplaced-choice. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0027", "misplaced-choice", include_str!("misplaced_choice.md"));

/// Raises it.
pub fn misplaced_choice(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "chooses a value")
}
