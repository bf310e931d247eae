//! T0602: not-a-profile. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0602", "not-a-profile", include_str!("not_a_profile.md"));

/// Returns the error for an argument of `--kernel` that is not a profile.
pub fn not_a_profile(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{path} is not a kernel profile"))
        .help("save one with `tracec kernel save`, or give a directory that holds a copy of a tracefs")
}
