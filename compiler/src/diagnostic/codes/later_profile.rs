//! T0603: later-profile. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0603", "later-profile", include_str!("later_profile.md"));

/// Raises it.
pub fn later_profile(path: &str, found: u32, known: u32) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the kernel profile {path} is of a later tracec"))
        .note(format!("it has version {found} of the format; this tracec knows up to {known}"))
}
