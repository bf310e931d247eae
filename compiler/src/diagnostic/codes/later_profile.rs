//! T0603: later-profile. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0603", "later-profile", include_str!("later_profile.md"));

/// Returns the error for a kernel profile of the format version `found`, where versions up to `known` can be read.
pub fn later_profile(path: &str, found: u32, known: u32) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the kernel profile {path} was saved by a newer tracec"))
        .note(format!("it has version {found} of the format; this tracec reads versions up to {known}"))
}
