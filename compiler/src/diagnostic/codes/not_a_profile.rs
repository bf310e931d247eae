//! T0602: not-a-profile. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0602", "not-a-profile", include_str!("not_a_profile.md"));

/// Raises it.
pub fn not_a_profile(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{path} is no kernel profile"))
        .help("save one with `tracec kernel save`, or give a directory that holds a copy of a tracefs")
}
