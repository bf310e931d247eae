//! The journal: what a session is about to change, written down before it does, for [`recover`](super::recover()).
//!
//! One file a session, `NAME.journal`, locked as long as the session lives. The first line says whose it is. Each step
//! that has an undo of its own then has two lines: `intend` before it is done, with what undoing it takes (of a shared
//! file the value that was observed, of an event its definition), and `done` after it, with what proves that the result is
//! the session's: the inode of the instance, what the file shows, or how the event is listed. A step whose state is gone with the instance has no line, so that a session
//! writes its journal twice however many filters it sets.
//!
//! Each line carries a checksum. A last line without its end is one that a kill cut off; any other damage makes the
//! journal unreadable as a whole, since undoing by halves may be worse than leaving it to a person. There is no fsync:
//! tracefs does not outlive the page cache.

mod account;
mod line;

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use tracec_kernel::plan::{Definition, InstanceName};

pub(super) use account::{Account, Change, Changed, Defined, Header};
use account::{Entry, Intent};

use super::error::JournalError;

const SUFFIX: &str = "journal";
/// How often a journal is tried to be made, should recoveries remove the file or its directory each time.
const ATTEMPTS: usize = 8;
/// Nothing longer is a journal: a line holds two values of a control file, and few steps have lines.
const LONGEST: u64 = 4 << 20;

/// The journal of a session of this process.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// The directory was made for it, so it goes too when it is empty.
    made_directory: bool,
    /// What its lines say.
    account: Account,
}

impl Journal {
    /// Creates and locks the journal of a session that is about to create its instance.
    pub(super) fn create(
        directory: &Path,
        instance: &InstanceName,
        tracefs: &Path,
    ) -> Result<Self, JournalError> {
        let boot_id = boot_id().map_err(|error| io_error(Path::new(BOOT_ID), &error))?;
        let header = Header::new(boot_id, tracefs.display().to_string(), instance.clone());
        let mut journal = Journal::create_file(directory, instance)?;
        let mut lines = Vec::new();
        let written = match line::push(&mut lines, &header) {
            Ok(()) => journal.append(lines, Entry::CREATE),
            Err(error) => Err(io_error(&journal.path, &error.into())),
        };
        match written {
            Ok(()) => Ok(journal),
            Err(error) => {
                journal.remove()?;
                Err(error)
            }
        }
    }

    /// Adds which instance was created.
    pub(super) fn created(&mut self, inode: u64) -> Result<(), JournalError> {
        self.append(Vec::new(), Entry::created(inode))
    }

    /// Adds a write that is about to be done.
    pub(super) fn intend(&mut self, change: Change) -> Result<(), JournalError> {
        self.append(Vec::new(), Entry::Intend(Intent::RestoreIfOurs(change)))
    }

    /// Adds an event that is about to be defined.
    pub(super) fn intend_event(&mut self, step: usize, definition: Definition) -> Result<(), JournalError> {
        self.append(Vec::new(), Entry::Intend(Intent::RemoveEvent { step, definition }))
    }

    /// Adds what the file of a step shows after the write.
    pub(super) fn changed(&mut self, step: usize, shows: String) -> Result<(), JournalError> {
        self.append(Vec::new(), Entry::changed(step, shows))
    }

    /// What undoing the session takes.
    pub(super) fn account(&self) -> &Account {
        &self.account
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file, and the directory if it was made for it and is empty.
    pub(super) fn remove(&self) -> Result<(), JournalError> {
        remove_file(&self.path)?;
        if self.made_directory
            && let Some(directory) = self.path.parent()
        {
            remove_if_empty(directory)?;
        }
        Ok(())
    }

    fn create_file(directory: &Path, instance: &InstanceName) -> Result<Self, JournalError> {
        let path = directory.join(format!("{instance}.{SUFFIX}"));
        let mut errno = Errno::AGAIN;
        for _ in 0..ATTEMPTS {
            let made_directory = make_directory(directory)?;
            let mut options = File::options();
            options.read(true).write(true).create_new(true).mode(0o600);
            let file = match options.open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(JournalError::Taken { path });
                }
                // The session before removed the directory just now; or it is a directory where nothing can be made,
                // or a symlink to nothing.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    errno = Errno::NOENT;
                    continue;
                }
                Err(error) => return Err(io_error(&path, &error)),
            };
            // A recovery that found the empty file before it was locked has removed it again.
            let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            if locked && file.metadata().map_err(|error| io_error(&path, &error))?.nlink() == 1 {
                let made_directory = made_directory || directory == Path::new(super::DEFAULT_RUNTIME_DIR);
                return Ok(Journal { file, path, made_directory, account: Account::default() });
            }
        }
        Err(JournalError::Io { path, errno })
    }

    /// Takes a line into the account and writes it behind others, all in one `write(2)`. The account has it also if it
    /// cannot be written: the undo of this process needs no file.
    fn append(&mut self, mut lines: Vec<u8>, entry: Entry) -> Result<(), JournalError> {
        let failed = |error: io::Error| io_error(&self.path, &error);
        line::push(&mut lines, &entry).map_err(|error| failed(error.into()))?;
        let incoherent = |_| JournalError::Io { path: self.path.clone(), errno: Errno::INVAL };
        self.account.take(entry).map_err(incoherent)?;
        self.file.write_all(&lines).map_err(failed)
    }
}

impl JournalError {
    /// The error of the system call behind it.
    pub(super) fn errno(&self) -> Errno {
        match self {
            JournalError::Taken { .. } => Errno::EXIST,
            JournalError::Io { errno, .. } => *errno,
        }
    }
}

/// What was found of a journal.
#[derive(Debug)]
pub(super) enum Found {
    /// Its session lives.
    Live,
    /// Its session was killed before it had changed anything.
    Incomplete(Abandoned),
    /// Its session was killed.
    Complete { journal: Abandoned, header: Header, account: Account },
    /// It is not a journal, or one of another version; it is left alone.
    Foreign { reason: String },
}

/// A journal without a session, locked.
#[derive(Debug)]
pub(super) struct Abandoned {
    path: PathBuf,
    _lock: File,
}

impl Abandoned {
    pub(super) fn remove(self) -> Result<(), JournalError> {
        remove_file(&self.path)
    }
}

/// The journals in a directory, in the order of their names; none if there is no such directory.
pub(super) fn list(directory: &Path) -> Result<Vec<PathBuf>, JournalError> {
    let failed = |error: &io::Error| io_error(directory, error);
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(&error)),
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| failed(&error))?.path();
        if path.extension().is_some_and(|extension| extension == SUFFIX) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Looks into a journal; `None` if it has gone.
pub(super) fn examine(path: &Path) -> Result<Option<Found>, JournalError> {
    let failed = |error: &io::Error| io_error(path, error);
    let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    let mut file = match File::options().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(&error)),
    };
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(Some(Found::Live)),
        Err(errno) => return Err(JournalError::Io { path: path.to_owned(), errno }),
    }
    if file.metadata().map_err(|error| failed(&error))?.nlink() == 0 {
        return Ok(None);
    }
    let mut text = String::new();
    let read = Read::by_ref(&mut file).take(LONGEST).read_to_string(&mut text);
    let journal = Abandoned { path: path.to_owned(), _lock: file };
    Ok(Some(match read {
        Ok(length) if length as u64 == LONGEST => Found::Foreign { reason: "it is too long".to_owned() },
        Ok(_) => parse(&text, journal),
        Err(error) => Found::Foreign { reason: error.to_string() },
    }))
}

fn parse(text: &str, journal: Abandoned) -> Found {
    match account::parse(text) {
        Ok(None) => Found::Incomplete(journal),
        Ok(Some((header, _))) if journal.path.file_stem() != Some(header.instance.as_str().as_ref()) => {
            Found::Foreign { reason: format!("it speaks of an instance `{}`", header.instance) }
        }
        Ok(Some((header, account))) => Found::Complete { journal, header, account },
        Err(reason) => Found::Foreign { reason },
    }
}

const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// What tells this boot from all others.
pub(super) fn boot_id() -> io::Result<String> {
    std::fs::read_to_string(BOOT_ID).map(|text| text.trim().to_owned())
}

/// Removes a directory unless something is in it.
pub(super) fn remove_if_empty(directory: &Path) -> Result<(), JournalError> {
    match rustix::fs::rmdir(directory) {
        Ok(()) | Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOENT) => Ok(()),
        Err(errno) => Err(JournalError::Io { path: directory.to_owned(), errno }),
    }
}

/// Makes the directory for journals, and says whether it was not there.
fn make_directory(directory: &Path) -> Result<bool, JournalError> {
    match std::fs::DirBuilder::new().mode(0o700).create(directory) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(_) if directory.is_dir() => Ok(false),
        Err(error) => Err(io_error(directory, &error)),
    }
}

fn remove_file(path: &Path) -> Result<(), JournalError> {
    match rustix::fs::unlink(path) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(errno) => Err(JournalError::Io { path: path.to_owned(), errno }),
    }
}

fn io_error(path: &Path, error: &io::Error) -> JournalError {
    let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
    JournalError::Io { path: path.to_owned(), errno }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(directory: &Path) -> JournalError {
        let instance = InstanceName::new("x").unwrap();
        Journal::create_file(directory, &instance).unwrap_err()
    }

    #[test]
    fn a_directory_without_files_of_ours_is_given_up() {
        let path = PathBuf::from("/proc/x.journal");
        assert_eq!(refusal(Path::new("/proc")), JournalError::Io { path, errno: Errno::NOENT });
    }

    #[test]
    fn a_symlink_to_nothing_is_given_up() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("run");
        std::os::unix::fs::symlink(dir.path().join("nothing"), &link).unwrap();
        assert_eq!(refusal(&link), JournalError::Io { path: link.join("x.journal"), errno: Errno::NOENT });
    }

    #[test]
    fn a_directory_that_is_missing_is_made_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("run");
        let journal = Journal::create_file(&directory, &InstanceName::new("x").unwrap()).unwrap();
        assert!(journal.path().exists());
        journal.remove().unwrap();
        assert!(!directory.exists());
    }
}
