//! Errors of finding, opening and reading tracefs.

use std::path::{Path, PathBuf};

use rustix::io::Errno;

/// The reason why tracefs could not be found, opened or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TracefsError {
    /// No mount of tracefs, and no debugfs that could hold one, is visible to this process.
    #[error("tracefs is not mounted")]
    NotMounted,
    /// The process lacks the permission: only root may use tracefs.
    #[error("permission denied: {}; by default only root can use tracefs", path.display())]
    NoPermission {
        /// The path to be opened.
        path: PathBuf,
    },
    /// The file system is mounted read-only.
    #[error("{} is on a read-only file system", path.display())]
    ReadOnly {
        /// The path to be changed.
        path: PathBuf,
    },
    /// Root got EPERM, or tracefs is empty: kernel lockdown (`LOCKDOWN_TRACEFS`, fs/tracefs/inode.c) or a similar
    /// policy.
    #[error("the kernel is locked down: even root may not use {}", path.display())]
    LockedDown {
        /// The path to be opened, or the empty tracefs.
        path: PathBuf,
    },
    /// The directory is on another file system.
    #[error("{} is not a tracefs", path.display())]
    NotATracefs {
        /// The directory.
        path: PathBuf,
    },
    /// The directory is in a tracefs, and is not its root.
    #[error("{} is a directory in a tracefs, not the root of one", path.display())]
    NotTheRoot {
        /// The directory.
        path: PathBuf,
        /// The root, if a path leads to it.
        root: Option<PathBuf>,
    },
    /// There is no table of mounts to find tracefs in.
    #[error("tracefs cannot be looked up: there is no {}", path.display())]
    NoMountTable {
        /// The table, below `/proc`.
        path: PathBuf,
    },
    /// A path that would leave the directory it is relative to: absolute, with `..`, empty parts or NUL.
    #[error("`{}` is not a path below tracefs", path.escape_debug())]
    OutsideTracefs {
        /// The path as given.
        path: String,
    },
    /// A file that should be text is not UTF-8.
    #[error("{} is not UTF-8", path.display())]
    NotText {
        /// The file.
        path: PathBuf,
    },
    /// Any other error of the kernel.
    #[error("{}: {errno}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error number.
        errno: Errno,
    },
}

impl TracefsError {
    /// Returns whether there is no such file or directory (ENOENT).
    pub fn is_not_found(&self) -> bool {
        matches!(self, TracefsError::Io { errno: Errno::NOENT, .. })
    }

    /// Converts the errno of opening, creating or removing `path`. Not for errors of `write(2)`, where EPERM may come
    /// from the filter's parser.
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
