//! Errors of journals.

use std::path::PathBuf;

use rustix::io::Errno;

/// The reason why the journal of a session could not be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// A journal of this name exists: its session still runs, or was killed and waits for recovery.
    #[error("there is a journal {} already: its session still runs, or was killed and waits for recovery", path.display())]
    Taken {
        /// The journal.
        path: PathBuf,
    },
    /// The file or its directory could not be created or written: no room (ENOSPC), a read-only file system (EROFS), no
    /// parent directory (ENOENT), and the like.
    #[error("cannot keep a journal in {}: {errno}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error.
        errno: Errno,
    },
}
