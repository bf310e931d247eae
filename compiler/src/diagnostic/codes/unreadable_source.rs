//! T0514: unreadable-source. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0514", "unreadable-source", include_str!("unreadable_source.md"));

/// Raises it.
pub fn unreadable_source(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot read `{path}`: {reason}"))
}
