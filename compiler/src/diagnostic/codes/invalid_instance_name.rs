//! T0507: invalid-instance-name. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code =
    Code::error("T0507", "invalid-instance-name", include_str!("invalid_instance_name.md"));

/// Raises it.
pub fn invalid_instance_name(name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{name:?} cannot name an instance")).note(reason)
}
