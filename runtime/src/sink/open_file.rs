//! Opens the files of the user that records are written to.

use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, FileType, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::errno::errno_of;

/// Opens a file for writing, or for reading too, and returns its path if it is new: that of the file itself where a symlink
/// leads to it.
///
/// # Errors
/// [`Errno::WOULDBLOCK`] where another session writes the file.
pub(super) fn open_file(path: &Path, access: OFlags) -> Result<(OwnedFd, Option<PathBuf>), Errno> {
    let (fd, created) = open_any(path, access)?;
    lock(fd.as_fd())?;
    Ok((fd, created))
}

/// Locks a file against other sessions, as long as it is open. What is not a file, such as a pipe, may have several writers.
///
/// # Errors
/// [`Errno::WOULDBLOCK`] where another session has locked it.
fn lock(fd: BorrowedFd<'_>) -> Result<(), Errno> {
    if FileType::from_raw_mode(rustix::fs::fstat(fd)?.st_mode) != FileType::RegularFile {
        return Ok(());
    }
    match rustix::fs::flock(fd, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Err(Errno::WOULDBLOCK),
        // Some file systems have no locks.
        _ => Ok(()),
    }
}

/// Returns whether a session is writing a file.
pub fn is_being_written(file: impl AsFd) -> bool {
    lock(file.as_fd()) == Err(Errno::WOULDBLOCK)
}

fn open_any(path: &Path, access: OFlags) -> Result<(OwnedFd, Option<PathBuf>), Errno> {
    let flags = access | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(0o644);
    let open = |path: &Path, flags| rustix::io::retry_on_intr(|| rustix::fs::openat(CWD, path, flags, mode));
    let create = flags | OFlags::CREATE | OFlags::EXCL;
    match open(path, create) {
        Ok(fd) => return Ok((fd, Some(path.to_owned()))),
        Err(Errno::EXIST) => {}
        Err(errno) => return Err(errno),
    }
    match open(path, flags) {
        Err(Errno::NOENT) => {}
        opened => return opened.map(|fd| (fd, None)),
    }
    // A symlink to a missing file. One to another such symlink is created too, but not removed.
    let target = std::fs::read_link(path).map_err(|error| errno_of(&error))?;
    let target = path.parent().unwrap_or(Path::new("")).join(target);
    match open(&target, create) {
        Ok(fd) => Ok((fd, Some(target))),
        Err(Errno::EXIST) => open(path, flags | OFlags::CREATE).map(|fd| (fd, None)),
        Err(errno) => Err(errno),
    }
}
