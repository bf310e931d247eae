//! T0604: damaged-profile. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0604", "damaged-profile", include_str!("damaged_profile.md"));

/// Returns the error for a kernel profile that cannot be read; `what` is a clause that says why.
pub fn damaged_profile(path: &str, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the kernel profile {path} is damaged: {what}"))
        .help("copy it again, or save it again with `tracec kernel save`")
}
