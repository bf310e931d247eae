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
mod directory;
mod error;
mod line;
mod register;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FlockOperation;
use rustix::io::Errno;
use tracec_kernel::plan::InstanceName;

pub(crate) use account::{Account, Begun, Header, JournalledUndo, State};
pub(crate) use directory::{JournalDirectory, make, remove_if_empty};
pub use error::{Distrust, JournalError, JournalFileError};
pub(crate) use register::{Owner, Register};

use account::JournalEntry;
use directory::OpenedJournal;

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
    directory: JournalDirectory,
    name: String,
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
        let boot_id = boot_id()
            .map_err(|error| JournalFileError::NoBootId { path: BOOT_ID.into(), errno: errno_of(&error) })?;
        let header = Header::new(boot_id, tracefs.display().to_string(), instance.clone());
        let mut journal = Journal::create_file(directory, instance)?;
        let mut lines = Vec::new();
        let header = line::push(&mut lines, &header).map_err(|error| io_error(&journal.path(), &error));
        match header.and_then(|()| {
            journal.append(lines, JournalEntry::Intend { undo: JournalledUndo::Remove, step: 0 })
        }) {
            Ok(()) => Ok(journal),
            Err(error) => {
                journal.remove()?;
                Err(error)
            }
        }
    }

    /// Adds a step before it is done.
    pub(crate) fn intend(&mut self, step: usize, undo: JournalledUndo) -> Result<(), JournalError> {
        self.append(Vec::new(), JournalEntry::Intend { undo, step })
    }

    /// Adds the state after a step.
    pub(crate) fn done(&mut self, step: usize, state: State) -> Result<(), JournalError> {
        self.append(Vec::new(), JournalEntry::Done { step, state })
    }

    /// Returns the directory in which it lies.
    pub(crate) fn directory(&self) -> &JournalDirectory {
        &self.directory
    }

    /// Locks the register of the owners of shared values.
    pub(crate) fn register(&self) -> Result<Register, Errno> {
        Register::lock(&self.directory)
    }

    /// Returns the name of its file.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the steps that have to be undone.
    pub(crate) fn account(&self) -> &Account {
        &self.account
    }

    /// Removes the file, and the directory if it was created for it and is empty.
    pub(crate) fn remove(&self) -> Result<(), JournalFileError> {
        self.directory.remove(&self.name)?;
        if self.made_directory { self.directory.remove_if_empty() } else { Ok(()) }
    }

    fn path(&self) -> PathBuf {
        self.directory.path_of(&self.name)
    }

    fn create_file(runtime_dir: &Path, instance: &InstanceName) -> Result<Self, JournalError> {
        let mut has_made = false;
        let created = Journal::try_to_create_file(runtime_dir, instance, &mut has_made);
        if created.is_err() && has_made {
            // The first error is returned; an error of the removal would hide it.
            let _ = remove_if_empty(runtime_dir);
        }
        created
    }

    /// Creates the file, and notes whether the directory was created.
    fn try_to_create_file(
        runtime_dir: &Path,
        instance: &InstanceName,
        has_made: &mut bool,
    ) -> Result<Self, JournalError> {
        let name = file_name(instance);
        let path = runtime_dir.join(&name);
        let failed = |errno| JournalError::from(JournalFileError::Io { path: path.clone(), errno });
        let mut errno = Errno::AGAIN;
        for _ in 0..ATTEMPTS {
            let made_directory = directory::make(runtime_dir)?;
            *has_made |= made_directory;
            let directory = match JournalDirectory::open(runtime_dir) {
                // The session before has just removed it; or it is a symlink to a missing directory.
                Err(JournalFileError::Io { errno: Errno::NOENT, .. }) => {
                    errno = Errno::NOENT;
                    continue;
                }
                opened => opened?,
            };
            let file = match directory.create(&name) {
                Err(Errno::EXIST) => return Err(JournalError::Taken { path }),
                // The directory has just been removed; or no file can be created in it.
                Err(Errno::NOENT) => {
                    errno = Errno::NOENT;
                    continue;
                }
                created => created.map_err(failed)?,
            };
            // A recovery may have found the empty file before it was locked, and removed it.
            let locked = rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok();
            if locked && rustix::fs::fstat(&file).map_err(failed)?.st_nlink == 1 {
                let made_directory = made_directory || runtime_dir == Path::new(DEFAULT_RUNTIME_DIR);
                return Ok(Journal { file, directory, name, made_directory, account: Account::default() });
            }
        }
        Err(failed(errno))
    }

    /// Adds a line to the account and appends it to `lines`, which one `write(2)` writes. The account has it even if
    /// the write fails: the undo of this process does not need the file.
    fn append(&mut self, mut lines: Vec<u8>, entry: JournalEntry) -> Result<(), JournalError> {
        let path = self.path();
        let failed = |error: io::Error| io_error(&path, &error);
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
    /// It cannot be read or trusted, or is not a journal of this version; it is not changed.
    /// `journal` is one that is damaged, and that nobody else has locked.
    Unreadable { reason: String, journal: Option<Abandoned> },
}

/// The locked journal of a session that no longer runs.
#[derive(Debug)]
pub(crate) struct Abandoned {
    directory: JournalDirectory,
    name: String,
    lock: File,
}

impl Abandoned {
    pub(crate) fn remove(self) -> Result<(), JournalFileError> {
        self.directory.remove(&self.name)
    }

    /// Returns the time of its last line, if the file system knows it.
    pub(crate) fn written(&self) -> Option<SystemTime> {
        self.lock.metadata().and_then(|metadata| metadata.modified()).ok()
    }
}

/// Returns the name of the file for the session of an instance.
pub(crate) fn file_name(instance: &InstanceName) -> String {
    format!("{instance}.{SUFFIX}")
}

/// Reads a journal; `None` if it does not exist.
pub(crate) fn examine(directory: &JournalDirectory, name: &str) -> Option<Found> {
    match try_to_examine(directory, name) {
        Ok(found) => Some(found),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => Some(Found::Unreadable { reason: error.to_string(), journal: None }),
    }
}

fn try_to_examine(directory: &JournalDirectory, name: &str) -> io::Result<Found> {
    let mut lock = match directory.open_locked(name)? {
        OpenedJournal::Locked(file) => file,
        OpenedJournal::Busy => return Ok(Found::Live),
        OpenedJournal::Refused(reason) => return Ok(Found::Unreadable { reason, journal: None }),
    };
    let mut bytes = Vec::new();
    if Read::by_ref(&mut lock).take(LONGEST).read_to_end(&mut bytes)? as u64 == LONGEST {
        return Ok(Found::Unreadable { reason: "it is too long".to_owned(), journal: None });
    }
    let journal = Abandoned { directory: directory.try_clone()?, name: name.to_owned(), lock };
    Ok(match parse(&bytes, name) {
        Err(reason) => Found::Unreadable { reason, journal: Some(journal) },
        Ok(Contents::Incomplete(instance)) => Found::Incomplete { journal, instance },
        Ok(Contents::Complete(header, account)) => Found::Complete { journal, header, account },
    })
}

/// What a journal says.
enum Contents {
    Incomplete(InstanceName),
    Complete(Header, Account),
}

fn parse(bytes: &[u8], file: &str) -> Result<Contents, String> {
    let name = file.strip_suffix(SUFFIX).and_then(|name| name.strip_suffix('.')).unwrap_or_default();
    match account::parse(bytes)? {
        None => {
            let instance = InstanceName::new(name).map_err(|error| error.to_string())?;
            Ok(Contents::Incomplete(instance))
        }
        Some((header, _)) if name != header.instance.as_str() => {
            Err(format!("it names an instance `{}`", header.instance))
        }
        Some((header, account)) => Ok(Contents::Complete(header, account)),
    }
}

/// The file with the id that distinguishes this boot from all others.
pub(crate) const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";

/// Reads [`BOOT_ID`].
pub(crate) fn boot_id() -> io::Result<String> {
    std::fs::read_to_string(BOOT_ID).map(|text| text.trim().to_owned())
}

fn io_error(path: &Path, error: &io::Error) -> JournalError {
    JournalFileError::Io { path: path.to_owned(), errno: errno_of(error) }.into()
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
        let expected = JournalFileError::Io { path, errno: Errno::NOENT };
        assert_eq!(refusal(Path::new("/proc")), expected.into());
    }

    #[test]
    fn creation_below_a_dangling_symlink_fails() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("run");
        std::os::unix::fs::symlink(dir.path().join("nothing"), &link).unwrap();
        let expected = JournalFileError::Io { path: link.join("x.journal"), errno: Errno::NOENT };
        assert_eq!(refusal(&link), expected.into());
    }

    #[test]
    fn missing_directory_is_created_and_removed() {
        let dir = tempfile::tempdir().unwrap();
        let directory = dir.path().join("run");
        let journal = Journal::create_file(&directory, &InstanceName::new("x").unwrap()).unwrap();
        assert!(journal.path().exists());
        journal.remove().unwrap();
        assert!(!directory.exists());
    }
}
