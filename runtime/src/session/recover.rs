//! Recovery: finds the journals of killed sessions and undoes their changes.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::io::Errno;
use tracec_kernel::plan::InstanceName;

use super::DEFAULT_RUNTIME_DIR;
use super::undo::{self, Owners, Proof, Undone};
use crate::errno::errno_of;
use crate::failure::Residue;
use crate::journal::{self, Abandoned, Account, Found, JournalDirectory, JournalFileError};
use crate::tracefs::Tracefs;

/// The result of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// The journals, in the order of their names.
    pub journals: Vec<Recovered>,
    /// The directory of the journals, if it is empty and could not be removed.
    pub directory: Option<Residue>,
}

/// A journal and the result of its recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The journal.
    pub journal: PathBuf,
    /// The time of its last line: about when its session was killed, if that was while it was applied. `None` if it
    /// could not be read.
    pub written: Option<SystemTime>,
    /// The result.
    pub outcome: Outcome,
}

/// The result of recovering a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The journal is locked, by its session or by another recovery; nothing was done.
    Live,
    /// The journal is from before a reboot; it was removed.
    OtherBoot,
    /// The file cannot be read, may be another user's, or is not a journal of this version; it was not changed.
    Unreadable {
        /// Why it cannot be used.
        reason: String,
    },
    /// The changes of the session were undone. The journal was removed unless [`Undone::keeps_journal`].
    Undone(Undone),
}

/// A recovery that could not begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoverError {
    /// The directory of the journals, or the id of this boot, cannot be used.
    #[error(transparent)]
    File(#[from] JournalFileError),
    /// There is no journal of the instance.
    #[error("there is no journal of `{instance}` in {}", directory.display())]
    NoJournal {
        /// The name of the instance.
        instance: InstanceName,
        /// The directory of the journals.
        directory: PathBuf,
    },
}

/// Undoes the changes that killed sessions left. A locked journal belongs to a running session and is skipped. An error
/// with one journal does not stop the recovery of the others.
///
/// An instance is removed only if it is known that the session created it.
///
/// # Errors
/// [`RecoverError`].
pub fn recover(runtime_dir: &Path, tracefs: &Tracefs) -> Result<Recovery, RecoverError> {
    let boot_id = boot_id()?;
    let mut recovery = Recovery::default();
    let Some(directory) = open(runtime_dir)? else { return Ok(recovery) };
    for name in directory.journals()? {
        let proof = |pid| Proof::OwnName { pid };
        recovery.journals.extend(one(&directory, &name, tracefs, &boot_id, proof));
    }
    if runtime_dir == Path::new(DEFAULT_RUNTIME_DIR)
        && let Err(errno) = journal::remove_if_empty(runtime_dir)
    {
        recovery.directory = Some(Residue::new(runtime_dir.to_owned(), errno));
    }
    Ok(recovery)
}

/// Undoes the changes of one killed session, that of an instance. The instance is removed also if the journal does not
/// say whether the session created it: the caller says so. If the journal says that it did not, the instance is left.
///
/// # Errors
/// [`RecoverError`].
pub fn recover_instance(
    runtime_dir: &Path,
    tracefs: &Tracefs,
    instance: &InstanceName,
) -> Result<Recovered, RecoverError> {
    let boot_id = boot_id()?;
    let name = journal::file_name(instance);
    let recovered = match open(runtime_dir)? {
        Some(directory) => one(&directory, &name, tracefs, &boot_id, |_| Proof::Asked),
        None => None,
    };
    let none = || RecoverError::NoJournal { instance: instance.clone(), directory: runtime_dir.to_owned() };
    recovered.ok_or_else(none)
}

/// Recovers one journal; `None` if it does not exist. `proof` is called with the id of the process that wrote it.
fn one(
    directory: &JournalDirectory,
    name: &str,
    tracefs: &Tracefs,
    boot_id: &str,
    proof: impl Fn(u32) -> Proof,
) -> Option<Recovered> {
    let recovered = |written, outcome| Recovered { journal: directory.path_of(name), written, outcome };
    let owners = Owners { directory, own: name };
    let (journal, undone) = match journal::examine(directory, name)? {
        Found::Live => return Some(recovered(None, Outcome::Live)),
        Found::Unreadable { reason, .. } => return Some(recovered(None, Outcome::Unreadable { reason })),
        Found::Complete { journal, header, .. } if header.boot_id != boot_id => {
            let written = journal.written();
            let outcome = match ended(journal, Undone::default()) {
                Outcome::Undone(undone) if undone.left.is_empty() => Outcome::OtherBoot,
                kept => kept,
            };
            return Some(recovered(written, outcome));
        }
        Found::Complete { journal, header, account } => {
            let proof = proof(header.pid);
            (journal, undo::undo(tracefs, &header.instance, &account, (proof, &owners)))
        }
        // Its session has created nothing yet.
        Found::Incomplete { journal, instance } => {
            (journal, undo::undo(tracefs, &instance, &Account::default(), (proof(0), &owners)))
        }
    };
    Some(recovered(journal.written(), ended(journal, undone)))
}

pub(super) fn boot_id() -> Result<String, RecoverError> {
    let failed = |error| JournalFileError::Io { path: journal::BOOT_ID.into(), errno: errno_of(&error) };
    Ok(journal::boot_id().map_err(failed)?)
}

/// Opens the directory of the journals; `None` if there is none.
pub(super) fn open(runtime_dir: &Path) -> Result<Option<JournalDirectory>, RecoverError> {
    match JournalDirectory::open(runtime_dir) {
        Err(JournalFileError::Io { errno: Errno::NOENT, .. }) => Ok(None),
        opened => Ok(Some(opened?)),
    }
}

/// Removes the journal unless it is kept.
fn ended(journal: Abandoned, mut undone: Undone) -> Outcome {
    if !undone.keeps_journal()
        && let Err(error) = journal.remove()
    {
        undone.left.push(error.into());
    }
    Outcome::Undone(undone)
}
