//! The journal: what a session is about to change, written down before it does, for [`recover`](super::recover()).
//!
//! One file a session, `NAME.journal`, locked as long as the session lives. Its first line says what may have to be
//! undone; a second line, once the instance exists, which instance that is. There is no fsync: tracefs does not outlive
//! the page cache.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use tracec_kernel::plan::{InstanceName, Transaction, Undo};

use super::error::JournalError;

/// The form of the journal. A reader leaves other versions alone.
const VERSION: u32 = 1;
const SUFFIX: &str = "journal";
/// How often a journal is tried to be made, should recoveries remove the file or its directory each time.
const ATTEMPTS: usize = 8;
/// A journal is two short lines; nothing longer is one.
const LONGEST: u64 = 64 * 1024;

/// The first line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Intent {
    pub(super) version: u32,
    /// Of the running kernel: with another one, nothing is left to undo.
    pub(super) boot_id: String,
    pub(super) pid: u32,
    /// For the eye: every mount of tracefs shows the same.
    pub(super) tracefs: String,
    pub(super) instance: InstanceName,
    pub(super) inverses: Vec<Undo>,
}

/// The second line.
#[derive(Serialize, Deserialize)]
struct Made {
    inode: u64,
}

/// The journal of a session of this process.
#[derive(Debug)]
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// The directory was made for it, so it goes too when it is empty.
    made_directory: bool,
}

impl Journal {
    /// Creates, locks and writes the journal of a transaction.
    pub(super) fn create(
        directory: &Path,
        transaction: &Transaction,
        tracefs: &Path,
    ) -> Result<Self, JournalError> {
        let intent = Intent {
            version: VERSION,
            boot_id: boot_id().map_err(|error| io_error(Path::new(BOOT_ID), &error))?,
            pid: std::process::id(),
            tracefs: tracefs.display().to_string(),
            instance: transaction.instance().clone(),
            inverses: inverses(transaction),
        };
        let mut journal = Journal::create_file(directory, transaction.instance())?;
        match journal.append(&intent) {
            Ok(()) => Ok(journal),
            Err(error) => {
                journal.remove()?;
                Err(error)
            }
        }
    }

    /// Adds which instance was made.
    pub(super) fn record_instance(&mut self, inode: u64) -> Result<(), JournalError> {
        self.append(&Made { inode })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the file, and the directory if it was made for it and is empty.
    pub(super) fn remove(self) -> Result<(), JournalError> {
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
                return Ok(Journal { file, path, made_directory });
            }
        }
        Err(JournalError::Io { path, errno })
    }

    fn append<T: Serialize>(&mut self, line: &T) -> Result<(), JournalError> {
        let failed = |error: io::Error| io_error(&self.path, &error);
        let mut text = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(failed)
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
    Complete { journal: Abandoned, intent: Intent, inode: Option<u64> },
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
        Ok(_) => parse(&text, journal),
        Err(error) => Found::Foreign { reason: error.to_string() },
    }))
}

fn parse(text: &str, journal: Abandoned) -> Found {
    // A line without its end was cut off by the kill; what it was to announce had not begun.
    let Some((first, rest)) = text.split_once('\n') else { return Found::Incomplete(journal) };
    match serde_json::from_str::<Intent>(first) {
        Ok(intent) if intent.version != VERSION => {
            Found::Foreign { reason: format!("it is of version {}", intent.version) }
        }
        Ok(intent) if journal.path.file_stem() != Some(intent.instance.as_str().as_ref()) => {
            Found::Foreign { reason: format!("it speaks of an instance `{}`", intent.instance) }
        }
        Ok(intent) => {
            let made =
                rest.split_once('\n').and_then(|(second, _)| serde_json::from_str::<Made>(second).ok());
            Found::Complete { journal, intent, inode: made.map(|made| made.inode) }
        }
        Err(error) => Found::Foreign { reason: error.to_string() },
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

/// What undoing takes beyond what goes with the instance, last first.
fn inverses(transaction: &Transaction) -> Vec<Undo> {
    let inverses = transaction.steps().iter().rev().map(|step| step.undo);
    inverses.filter(|undo| *undo != Undo::WithOwner).collect()
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
