//! T0503: read-only. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0503", "read-only", include_str!("read_only.md"));

/// Returns the error for a tracefs that is mounted read-only.
pub fn read_only(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{path} is on a read-only file system"))
        .help("remount it: mount -o remount,rw .., or name another one with `--tracefs DIR`")
}
