//! The journal: a file that lists the changes of a session, each before it is made, for
//! [`recover`](crate::session::recover()).
//!
//! There is one file per session, `NAME.journal`, locked while the session runs. The first line names the session. Each
//! step that has an undo of its own then has two lines. `intend` is written before the step, with the data for its
//! undo: the old value of a shared file, or the definition of an event. `done` is written after it, with the state that
//! identifies the result as the session's: the inode of the instance, the text of the file, or the lines about the
//! event. A step that is undone with the instance has no line, so that a session writes its journal twice however many
//! filters it sets.
//!
//! Each line has a checksum. A last line without a newline was cut off by a kill. Any other damage makes the whole
//! journal unreadable, since a partial undo may be worse than none. There is no fsync: tracefs does not outlive the
//! page cache.

mod account;
mod error;
mod line;

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;
use tracec_kernel::plan::InstanceName;

pub(crate) use account::{Account, Begun, Header, State, Undo};
pub use error::JournalError;

use account::Entry;

use crate::errno::errno_of;

/// The default directory of journals. It is cleared by a reboot, like the state that journals describe.
pub const DEFAULT_RUNTIME_DIR: &str = "/run/tracec";
const SUFFIX: &str = "journal";
/// The number of attempts to create a journal while recoveries remove the file or its directory each time.
const ATTEMPTS: usize = 8;
/// The greatest length of a journal in bytes: a line holds two values of a control file, and few steps have lines.
const LONGEST: u64 = 4 << 20;

/// The journal of a session of this process.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// Whether the directory was created for it, so that it is removed too if it is empty.
    made_directory: bool,
    /// The contents of its lines.
    account: Account,
}

impl Journal {
    /// Creates and locks the journal of a session that is about to create its instance.
    pub(crate) fn create(
        directory: &Path,
        instance: &InstanceName,
        tracefs: &Path,
    ) -> Result<Self, JournalError> {
        let boot_id = boot_id().map_err(|error| io_error(Path::new(BOOT_ID), &error))?;
        let header = Header::new(boot_id, tracefs.display().to_string(), instance.clone());
        let mut journal = Journal::create_file(directory, instance)?;
        let mut lines = Vec::new();
        let header = line::push(&mut lines, &header).map_err(|error| io_error(&journal.path, &error));
        match header.and_then(|()| journal.append(lines, Entry::Intend { undo: Undo::Remove, step: 0 })) {
            Ok(()) => Ok(journal),
            Err(error) => {
                journal.remove()?;
                Err(error)
            }
        }
    }

    /// Adds a step before it is done.
    pub(crate) fn intend(&mut self, step: usize, undo: Undo) -> Result<(), JournalError> {
        self.append(Vec::new(), Entry::Intend { undo, step })
    }

    /// Adds the state after a step.
    pub(crate) fn done(&mut self, step: usize, state: State) -> Result<(), JournalError> {
        self.append(Vec::new(), Entry::Done { step, state })
    }

    /// Returns the steps that have to be undone.
    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    /// Removes the file, and the directory if it was created for it and is empty.
    pub(crate) fn remove(&self) -> Result<(), JournalError> {
        remove_file(&self.path)?;
        match self.path.parent() {
            Some(directory) if self.made_directory => remove_if_empty(directory)
                .map_err(|errno| JournalError::Io { path: directory.to_owned(), errno }),
            _ => Ok(()),
        }
    }

    fn create_file(directory: &Path, instance: &InstanceName) -> Result<Self, JournalError> {
        let path = directory.join(format!("{instance}.{SUFFIX}"));
        let failed = |errno| JournalError::Io { path: path.clone(), errno };
        let mut errno = Errno::AGAIN;
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            let made_directory = make_directory(directory)?;
            let file = match rustix::fs::open(&path, flags, Mode::RUSR | Mode::WUSR) {
                Err(Errno::EXIST) => return Err(JournalError::Taken { path }),
                // The session before has just removed the directory; or it is a directory in which no file can be
                // created, or a symlink to a missing one.
                Err(Errno::NOENT) => {
                    errno = Errno::NOENT;
                    continue;
                }
                opened => opened.map_err(failed)?,
            };
            // A recovery may have found the empty file before it was locked, and removed it.
            let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            if locked && rustix::fs::fstat(&file).map_err(failed)?.st_nlink == 1 {
                let made_directory = made_directory || directory == Path::new(DEFAULT_RUNTIME_DIR);
                return Ok(Journal { file: file.into(), path, made_directory, account: Account::default() });
            }
        }
        Err(failed(errno))
    }

    /// Adds a line to the account and appends it to `lines`, which one `write(2)` writes. The account has it even if
    /// the write fails: the undo of this process does not need the file.
    fn append(&mut self, mut lines: Vec<u8>, entry: Entry) -> Result<(), JournalError> {
        let failed = |error: io::Error| io_error(&self.path, &error);
        line::push(&mut lines, &entry).map_err(failed)?;
        if !self.account.take(entry) {
            return Err(failed(Errno::INVAL.into()));
        }
        self.file.write_all(&lines).map_err(failed)
    }
}

/// A journal that was found, by its state.
#[derive(Debug)]
pub(crate) enum Found {
    /// It is locked: by its session, or by another recovery.
    Live,
    /// It has no complete line: its session was killed before it had changed anything.
    Incomplete { journal: Abandoned, instance: InstanceName },
    /// Its session was killed.
    Complete { journal: Abandoned, header: Header, account: Account },
    /// It cannot be read, or is not a journal of this version; it is not changed.
    Unreadable { reason: String },
}

/// The locked journal of a session that no longer runs.
#[derive(Debug)]
pub(crate) struct Abandoned {
    path: PathBuf,
    _lock: File,
}

impl Abandoned {
    pub(crate) fn remove(self) -> Result<(), JournalError> {
        remove_file(&self.path)
    }
}

/// Returns the journals in a directory, sorted by name; none if there is no such directory.
pub(crate) fn list(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut journals = entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()?;
    journals.retain(|path| path.extension().is_some_and(|extension| extension == SUFFIX));
    journals.sort();
    Ok(journals)
}

/// Reads a journal; `None` if it no longer exists.
pub(crate) fn examine(path: &Path) -> Option<Found> {
    match try_to_examine(path) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Found::Unreadable { reason: error.to_string() }),
    }
}

fn try_to_examine(path: &Path) -> io::Result<Found> {
    let unreadable = |reason: &str| Ok(Found::Unreadable { reason: reason.to_owned() });
    // Opening a FIFO would wait for a writer.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
    let mut file = match File::options().read(true).custom_flags(flags).open(path) {
        Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
            return unreadable("it is a symbolic link");
        }
        opened => opened?,
    };
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => return Ok(Found::Live),
        locked => locked?,
    }
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return unreadable("it is not a regular file");
    }
    if metadata.nlink() == 0 {
        return Err(io::ErrorKind::NotFound.into());
    }
    let mut text = String::new();
    if Read::by_ref(&mut file).take(LONGEST).read_to_string(&mut text)? as u64 == LONGEST {
        return unreadable("it is too long");
    }
    let journal = Abandoned { path: path.to_owned(), _lock: file };
    Ok(parse(&text, journal).unwrap_or_else(|reason| Found::Unreadable { reason }))
}

fn parse(text: &str, journal: Abandoned) -> Result<Found, String> {
    let name = journal.path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    match account::parse(text)? {
        None => {
            let instance = InstanceName::new(name).map_err(|error| error.to_string())?;
            Ok(Found::Incomplete { journal, instance })
        }
        Some((header, _)) if name != header.instance.as_str() => {
            Err(format!("it names an instance `{}`", header.instance))
        }
        Some((header, account)) => Ok(Found::Complete { journal, header, account }),
    }
}

/// The file with the id that distinguishes this boot from all others.
pub(crate) const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Reads [`BOOT_ID`].
pub(crate) fn boot_id() -> io::Result<String> {
    std::fs::read_to_string(BOOT_ID).map(|text| text.trim().to_owned())
}

/// Removes a directory if it is empty.
pub(crate) fn remove_if_empty(directory: &Path) -> Result<(), Errno> {
    match rustix::fs::rmdir(directory) {
        Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => Ok(()),
        removed => removed,
    }
}

/// Creates the directory for journals, and returns whether it is new.
fn make_directory(directory: &Path) -> Result<bool, JournalError> {
    match rustix::fs::mkdir(directory, Mode::RWXU) {
        Ok(()) => Ok(true),
        Err(_) if directory.is_dir() => Ok(false),
        // A symlink to a missing directory; the error is that of creating a file in it.
        Err(Errno::EXIST) => Ok(false),
        Err(errno) => Err(JournalError::Io { path: directory.to_owned(), errno }),
    }
}

fn remove_file(path: &Path) -> Result<(), JournalError> {
    match rustix::fs::unlink(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(JournalError::Io { path: path.to_owned(), errno }),
    }
}

fn io_error(path: &Path, error: &io::Error) -> JournalError {
    JournalError::Io { path: path.to_owned(), errno: errno_of(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(directory: &Path) -> JournalError {
        let instance = InstanceName::new("x").unwrap();
        Journal::create_file(directory, &instance).unwrap_err()
    }

    #[test]
    fn creation_in_a_directory_that_refuses_files_fails() {
        let path = PathBuf::from("/proc/x.journal");
        assert_eq!(refusal(Path::new("/proc")), JournalError::Io { path, errno: Errno::NOENT });
    }

    #[test]
    fn creation_below_a_dangling_symlink_fails() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("run");
        std::os::unix::fs::symlink(dir.path().join("nothing"), &link).unwrap();
        assert_eq!(refusal(&link), JournalError::Io { path: link.join("x.journal"), errno: Errno::NOENT });
    }

    #[test]
    fn missing_directory_is_created_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("run");
        let journal = Journal::create_file(&directory, &InstanceName::new("x").unwrap()).unwrap();
        assert!(journal.path.exists());
        journal.remove().unwrap();
        assert!(!directory.exists());
    }
}
