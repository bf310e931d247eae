//! T0516: not-tracefs. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0516", "not-tracefs", include_str!("not_tracefs.md"));

/// Raises it.
pub fn not_tracefs(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{path} is not a tracefs"))
        .help("`--kernel DIR` reads a copy of one; to run a session tracec needs the real one")
}
