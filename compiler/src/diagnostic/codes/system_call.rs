//! T0517: system-call. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0517", "system-call", include_str!("system_call.md"));

/// Returns the error for a system call that failed; `what` says what it was for.
pub fn system_call(what: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what}: {reason}"))
}
