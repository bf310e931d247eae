//! T0502: no-permission. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0502", "no-permission", include_str!("no_permission.md"));

/// Returns the error for a file of tracefs that this user may not open.
pub fn no_permission(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("permission denied: {path}"))
        .help("run tracec as root (`sudo tracec ..`), or mount tracefs with the option `gid=` for one of your groups")
}
