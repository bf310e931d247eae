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
    /// The file or its directory cannot be used.
    #[error("cannot keep a journal: {0}")]
    File(#[from] JournalFileError),
}

/// The reason why a file or directory that journals need cannot be used: a journal, the directory of the journals, or
/// the id of this boot, without which the age of a journal is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalFileError {
    /// It could not be created, read or written: no room (ENOSPC), a read-only file system (EROFS), no parent directory
    /// (ENOENT), and the like.
    #[error("{}: {errno}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error number.
        errno: Errno,
    },
    /// The id of this boot, which a journal names, cannot be read: `/proc` is not mounted, for example.
    #[error("the id of this boot cannot be read: {}: {errno}", path.display())]
    NoBootId {
        /// The file with the id.
        path: PathBuf,
        /// The error number.
        errno: Errno,
    },
    /// The directory may hold what another user wrote. Nothing in it is used.
    #[error("{} is not trusted: {reason}", path.display())]
    Distrusted {
        /// The directory.
        path: PathBuf,
        /// Why.
        reason: Distrust,
    },
}

impl JournalFileError {
    /// Returns the number of the error; EACCES for a directory that is not trusted.
    pub(crate) fn errno(&self) -> Errno {
        match self {
            JournalFileError::Io { errno, .. } | JournalFileError::NoBootId { errno, .. } => *errno,
            JournalFileError::Distrusted { .. } => Errno::ACCESS,
        }
    }
}

/// The reason why a journal or its directory is not trusted: another user may have written what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Distrust {
    /// It belongs to neither this user nor root.
    #[error("it belongs to user {uid}")]
    Owner {
        /// The id of its owner.
        uid: u32,
    },
    /// Its group or others can write to it.
    #[error("others can write to it (mode {mode:04o})")]
    Mode {
        /// The permissions.
        mode: u32,
    },
}
