//! T0507: invalid-instance-name. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0507", "invalid-instance-name", include_str!("invalid_instance_name.md"));

/// Returns the error for an invalid name in `--instance`; `reason` is a clause.
pub fn invalid_instance_name(name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{name:?} is not a valid instance name")).note(reason)
}
