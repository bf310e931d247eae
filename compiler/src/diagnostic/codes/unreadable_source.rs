//! T0514: unreadable-source. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0514", "unreadable-source", include_str!("unreadable_source.md"));

/// Returns the error for a source file that cannot be read.
pub fn unreadable_source(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot read `{path}`: {reason}"))
}
