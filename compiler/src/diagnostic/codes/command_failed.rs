//! T0510: command-failed. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0510", "command-failed", include_str!("command_failed.md"));

/// Raises it.
pub fn command_failed(command: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot start `{command}`: {reason}")).note("the session was put back")
}
