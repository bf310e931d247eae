//! T0508: no-journal. The page beside this file says what it means.

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0508", "no-journal", include_str!("no_journal.md"));

/// Returns the error for a journal that cannot be created or written.
pub fn no_journal(path: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("cannot keep a journal in {path}: {reason}"))
        .note("nothing was changed")
        .help("name a directory with room on a local file system: `--runtime-dir DIR`")
}
