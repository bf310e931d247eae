//! T0501: no-tracefs. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0501", "no-tracefs", include_str!("no_tracefs.md"));

/// Returns the error for a machine on which tracefs is not mounted.
pub fn no_tracefs() -> Diagnostic {
    Diagnostic::error(&CODE, "tracefs is not mounted")
        .help("give `--mount` for a private mount that lasts as long as tracec, or mount it: mount -t tracefs nodev /sys/kernel/tracing")
}

/// Returns the error for a machine without the table of mounts in which tracefs is looked up.
pub fn no_mount_table(path: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("tracefs cannot be looked up: there is no {path}"))
        .help("mount /proc: mount -t proc proc /proc, or give `--tracefs DIR` with the directory of a mounted tracefs")
}
