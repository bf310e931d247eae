//! T0136: shell-variable. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0136", "shell-variable", include_str!("shell_variable.md"));

/// Raises it.
pub fn shell_variable(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a variable of the shell")
}
