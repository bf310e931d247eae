//! T0110: unknown-session. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0110", name: "unknown-session", page: include_str!("unknown_session.md") };

/// Raises it.
pub fn unknown_session(name: &str, known: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no session `{name}` in this file"))
        .note(format!("its sessions are {}", known.join(", ")))
}
