//! T0018: misplaced-doc. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0018", name: "misplaced-doc", page: include_str!("misplaced_doc.md") };

/// Raises it.
pub fn misplaced_doc(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "describes nothing")
}
