//! T0510: command-failed. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0510", "command-failed", include_str!("command_failed.md"));

/// Returns the error for a command of a session that did not start.
pub fn command_failed(command: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot start `{command}`: {reason}"))
        .note("all changes of the session were undone")
}
