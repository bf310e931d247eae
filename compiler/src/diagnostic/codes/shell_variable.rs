//! T0136: shell-variable. The page beside this file says what it means.

use tracec_grammar::error::SyntaxError;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0136", "shell-variable", include_str!("shell_variable.md"));

pub(crate) fn shell_variable(error: &SyntaxError) -> Diagnostic {
    Diagnostic::from_grammar(&CODE, error, "a variable of the shell")
}
