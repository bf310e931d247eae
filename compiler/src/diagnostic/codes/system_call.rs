//! T0517: system-call. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0517", "system-call", include_str!("system_call.md"));

/// Raises it.
pub fn system_call(what: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what}: {reason}"))
}
