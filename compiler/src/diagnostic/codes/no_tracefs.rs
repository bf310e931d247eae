//! T0501: no-tracefs. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0501", "no-tracefs", include_str!("no_tracefs.md"));

/// Returns the error for a machine on which tracefs is not mounted.
pub fn no_tracefs() -> Diagnostic {
    Diagnostic::error(&CODE, "tracefs is not mounted")
        .help("give `--mount` for a private mount that lasts as long as tracec, or mount it: mount -t tracefs nodev /sys/kernel/tracing")
}
