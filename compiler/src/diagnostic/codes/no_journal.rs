//! T0508: no-journal. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0508", "no-journal", include_str!("no_journal.md"));

/// Returns the error for a journal that cannot be created or written.
pub fn no_journal(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot keep a journal in {path}: {reason}"))
        .note("nothing was changed")
        .help("name a directory with room on a local file system: `--runtime-dir DIR`")
}

/// Returns the error for a boot whose id, which a journal has to name, cannot be read.
pub fn no_boot_id(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot keep a journal without the id of this boot: {path}: {reason}"))
        .note("nothing was changed")
        .help("mount /proc: mount -t proc proc /proc")
}
