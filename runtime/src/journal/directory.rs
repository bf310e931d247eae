//! The directory of journals, in which nobody else may write: a journal says what root is to remove.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{CWD, Dir, FileType, FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::SUFFIX;
use super::error::{Distrust, JournalFileError};

/// The permissions of the group and of others to write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// An open directory that belongs to this user or to root, and that nobody else can write to.
#[derive(Debug)]
pub(crate) struct JournalDirectory {
    fd: OwnedFd,
    path: PathBuf,
}

impl JournalDirectory {
    /// Opens the directory.
    ///
    /// # Errors
    /// [`JournalFileError::Io`]; [`JournalFileError::Distrusted`] if somebody else can write to it.
    pub(crate) fn open(path: &Path) -> Result<Self, JournalFileError> {
        let failed = |errno| JournalFileError::Io { path: path.to_owned(), errno };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::open(path, flags, Mode::empty()).map_err(failed)?;
        match distrust(&rustix::fs::fstat(&fd).map_err(failed)?) {
            None => Ok(JournalDirectory { fd, path: path.to_owned() }),
            Some(reason) => Err(JournalFileError::Distrusted { path: path.to_owned(), reason }),
        }
    }

    /// Returns its descriptor.
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Returns the path of a file in it, for messages.
    pub(crate) fn path_of(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    /// Returns the names of its files that end as journals do, sorted.
    pub(crate) fn journals(&self) -> Result<Vec<String>, JournalFileError> {
        let failed = |errno| JournalFileError::Io { path: self.path.clone(), errno };
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // tracec creates none that is not UTF-8.
            names.extend(entry.file_name().to_str().ok().map(str::to_owned));
        }
        names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == SUFFIX));
        names.sort_unstable();
        Ok(names)
    }

    /// Creates a file that only this user can read.
    pub(super) fn create(&self, file: &str) -> Result<File, Errno> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        rustix::fs::openat(&self.fd, file, flags, Mode::RUSR | Mode::WUSR).map(File::from)
    }

    /// Opens a file and locks it. A link is not followed, and nothing but a regular file is opened: opening a device
    /// can have an effect, and opening a FIFO waits for a writer.
    pub(super) fn open_locked(&self, file: &str) -> io::Result<OpenedJournal> {
        let path_only = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let stat = rustix::fs::fstat(rustix::fs::openat(&self.fd, file, path_only, Mode::empty())?)?;
        if let Some(kind) = unusual(FileType::from_raw_mode(stat.st_mode)) {
            return Ok(OpenedJournal::Refused(format!("it is {kind}")));
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = File::from(rustix::fs::openat(&self.fd, file, flags, Mode::empty())?);
        let stat = rustix::fs::fstat(&file)?;
        if let Some(reason) = distrust(&stat) {
            return Ok(OpenedJournal::Refused(reason.to_string()));
        }
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => return Ok(OpenedJournal::Busy),
            locked => locked?,
        }
        // The number of links is read again: the session may have ended before the lock.
        match file.metadata()?.nlink() {
            0 => Err(io::ErrorKind::NotFound.into()),
            1 => Ok(OpenedJournal::Locked(file)),
            // Another user can make a hard link to a file of an earlier time, if the system permits it.
            _ => Ok(OpenedJournal::Refused("it has another hard link".to_owned())),
        }
    }

    /// Reads a journal that its session may still write, of at most so many bytes. Only what [`Self::open_locked`] would
    /// open is read.
    pub(super) fn read(&self, file: &str, longest: u64) -> io::Result<OpenedRead> {
        let mut bytes = Vec::new();
        let refused = || io::Error::from(io::ErrorKind::PermissionDenied);
        let (mut journal, is_live) = match self.open_locked(file)? {
            OpenedJournal::Locked(file) => (file, false),
            OpenedJournal::Busy => {
                let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
                let file = File::from(rustix::fs::openat(&self.fd, file, flags, Mode::empty())?);
                let stat = rustix::fs::fstat(&file)?;
                if unusual(FileType::from_raw_mode(stat.st_mode)).is_some() || distrust(&stat).is_some() {
                    return Err(refused());
                }
                (file, true)
            }
            OpenedJournal::Refused(_) => return Err(refused()),
        };
        Read::by_ref(&mut journal).take(longest).read_to_end(&mut bytes)?;
        Ok(OpenedRead { bytes, is_live })
    }

    /// Adds a line to a journal that this process has locked.
    pub(super) fn append(&self, file: &str, line: &[u8]) -> io::Result<()> {
        let flags = OFlags::WRONLY | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        File::from(rustix::fs::openat(&self.fd, file, flags, Mode::empty())?).write_all(line)
    }

    /// Opens the directory once more, for a lock of its own.
    pub(super) fn reopen(&self) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(&self.fd, ".", flags, Mode::empty())
    }

    /// Removes a file, if it exists.
    pub(super) fn remove(&self, file: &str) -> Result<(), JournalFileError> {
        match rustix::fs::unlinkat(&self.fd, file, rustix::fs::AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(JournalFileError::Io { path: self.path_of(file), errno }),
        }
    }

    /// Removes the directory if it is empty.
    pub(super) fn remove_if_empty(&self) -> Result<(), JournalFileError> {
        remove_if_empty(&self.path).map_err(|errno| JournalFileError::Io { path: self.path.clone(), errno })
    }

    pub(super) fn try_clone(&self) -> Result<Self, Errno> {
        let fd = rustix::io::fcntl_dupfd_cloexec(self.fd.as_fd(), 3)?;
        Ok(JournalDirectory { fd, path: self.path.clone() })
    }
}

/// The contents of a journal, and whether a session or a recovery has locked it.
pub(super) struct OpenedRead {
    pub(super) bytes: Vec<u8>,
    pub(super) is_live: bool,
}

/// The result of opening a file that may be a journal.
pub(super) enum OpenedJournal {
    /// Nobody else uses it until it is closed.
    Locked(File),
    /// Another process has locked it.
    Busy,
    /// It cannot be a journal, or cannot be trusted; the text says why.
    Refused(String),
}

/// Creates the directory for journals, and returns whether it is new.
pub(crate) fn make(path: &Path) -> Result<bool, JournalFileError> {
    match rustix::fs::mkdirat(CWD, path, Mode::RWXU) {
        Ok(()) => Ok(true),
        Err(_) if path.is_dir() => Ok(false),
        // A symlink to a missing directory; the error is that of opening it.
        Err(Errno::EXIST) => Ok(false),
        Err(errno) => Err(JournalFileError::Io { path: path.to_owned(), errno }),
    }
}

/// Removes a directory if it is empty.
pub(crate) fn remove_if_empty(directory: &Path) -> Result<(), Errno> {
    match rustix::fs::rmdir(directory) {
        Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

/// Returns why a file or directory may hold what another user wrote.
fn distrust(stat: &Stat) -> Option<Distrust> {
    let owner = stat.st_uid;
    if owner != 0 && owner != rustix::process::geteuid().as_raw() {
        return Some(Distrust::Owner { uid: owner });
    }
    let mode = stat.st_mode & 0o7777;
    (mode & WRITABLE_BY_OTHERS != 0).then_some(Distrust::Mode { mode })
}

/// Returns the words for a kind of file that is not a regular file.
fn unusual(kind: FileType) -> Option<&'static str> {
    Some(match kind {
        FileType::RegularFile => return None,
        FileType::Directory => "a directory",
        FileType::Symlink => "a symbolic link",
        FileType::Fifo => "a FIFO",
        FileType::Socket => "a socket",
        FileType::CharacterDevice | FileType::BlockDevice => "a device",
        FileType::Unknown => "not a regular file",
    })
}

#[cfg(test)]
mod tests {
    use rustix::fs::{AtFlags, Mode, chmodat};
    use rustix::process::{Gid, Uid};

    use super::*;

    fn directory() -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        assert!(make(&path).unwrap() && !make(&path).unwrap());
        (parent, path)
    }

    #[test]
    fn directory_of_another_user_is_not_trusted() {
        if !rustix::process::geteuid().is_root() {
            println!("SKIPPED: only root can give a directory to another user");
            return;
        }
        let (_parent, path) = directory();
        let (user, group) = (Uid::from_raw(12_345), Gid::from_raw(12_345));
        rustix::fs::chown(&path, Some(user), Some(group)).unwrap();
        let reason = Distrust::Owner { uid: 12_345 };
        assert_eq!(JournalDirectory::open(&path).unwrap_err(), JournalFileError::Distrusted { path, reason });
    }

    #[test]
    fn directory_that_others_can_write_to_is_not_trusted() {
        let (_parent, path) = directory();
        for (mode, is_trusted) in [(0o700, true), (0o755, true), (0o775, false), (0o1777, false)] {
            chmodat(CWD, &path, Mode::from_raw_mode(mode), AtFlags::empty()).unwrap();
            let expected = match is_trusted {
                true => Ok(()),
                false => {
                    Err(JournalFileError::Distrusted { path: path.clone(), reason: Distrust::Mode { mode } })
                }
            };
            assert_eq!(JournalDirectory::open(&path).map(drop), expected);
        }
    }

    #[test]
    fn file_is_locked_only_if_it_is_trusted() {
        let (_parent, path) = directory();
        let directory = JournalDirectory::open(&path).unwrap();
        let refusal = |name: &str| match directory.open_locked(name).unwrap() {
            OpenedJournal::Refused(reason) => reason,
            OpenedJournal::Locked(_) | OpenedJournal::Busy => panic!("it is trusted"),
        };
        drop(directory.create("a.journal").unwrap());
        assert!(matches!(directory.open_locked("a.journal").unwrap(), OpenedJournal::Locked(_)));
        chmodat(CWD, path.join("a.journal"), Mode::from_raw_mode(0o620), AtFlags::empty()).unwrap();
        assert_eq!(refusal("a.journal"), "others can write to it (mode 0620)");
        drop(directory.create("b.journal").unwrap());
        std::fs::hard_link(path.join("b.journal"), path.join("c.journal")).unwrap();
        assert_eq!(refusal("c.journal"), "it has another hard link");
        std::os::unix::fs::symlink("b.journal", path.join("d.journal")).unwrap();
        assert_eq!(refusal("d.journal"), "it is a symbolic link");
        assert_eq!(directory.journals().unwrap(), ["a.journal", "b.journal", "c.journal", "d.journal"]);
    }

    #[test]
    fn locked_file_is_busy() {
        let (_parent, path) = directory();
        let directory = JournalDirectory::open(&path).unwrap();
        drop(directory.create("a.journal").unwrap());
        let first = directory.open_locked("a.journal").unwrap();
        assert!(matches!(directory.open_locked("a.journal").unwrap(), OpenedJournal::Busy));
        drop(first);
        assert!(matches!(directory.open_locked("a.journal").unwrap(), OpenedJournal::Locked(_)));
    }
}
