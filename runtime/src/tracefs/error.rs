use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// Why tracefs could not be found, entered or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TracefsError {
    /// No mount of tracefs, and no debugfs that could hold one, is visible to this process.
    #[error("tracefs is not mounted")]
    NotMounted,
    /// The process lacks the right: tracefs is root's.
    #[error("no permission for {}: tracefs is root's", path.display())]
    NoPermission {
        /// What was to be opened.
        path: PathBuf,
    },
    /// The file system is mounted read-only.
    #[error("{} is on a read-only file system", path.display())]
    ReadOnly {
        /// What was to be changed.
        path: PathBuf,
    },
    /// Root was told EPERM, or tracefs is empty: kernel lockdown (`LOCKDOWN_TRACEFS`, fs/tracefs/inode.c) or a
    /// policy like it.
    #[error("the kernel is locked down: even root may not use {}", path.display())]
    LockedDown {
        /// What was to be opened, or the empty tracefs.
        path: PathBuf,
    },
    /// The directory is on some other file system.
    #[error("{} is not a tracefs", path.display())]
    NotATracefs {
        /// The directory.
        path: PathBuf,
    },
    /// A path that would leave the directory it is relative to: absolute, with `..`, empty parts or NUL.
    #[error("`{}` is not a path below tracefs", path.escape_debug())]
    OutsideTracefs {
        /// The path as given.
        path: String,
    },
    /// A file that was to hold text holds something else.
    #[error("{} is not UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// Anything else the kernel answered.
    #[error("{}: {errno}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The kernel's answer.
        errno: Errno,
    },
}

impl TracefsError {
    /// There is no such file or directory (ENOENT).
    pub fn is_not_found(&self) -> bool {
        matches!(self, TracefsError::Io { errno: Errno::NOENT, .. })
    }

    /// Gives an errno from opening, making or removing `path` its meaning. Not for errors of `write(2)`: there
    /// EPERM may come from the filter's parser.
    pub(crate) fn from_errno(path: &Path, errno: Errno) -> Self {
        let path = path.to_owned();
        match errno {
            Errno::ROFS => TracefsError::ReadOnly { path },
            Errno::PERM if rustix::process::geteuid().is_root() => TracefsError::LockedDown { path },
            Errno::PERM | Errno::ACCESS => TracefsError::NoPermission { path },
            errno => TracefsError::Io { path, errno },
        }
    }
}
