//! Recovery: finds the journals of killed sessions and undoes their changes.

use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::DEFAULT_RUNTIME_DIR;
use super::undo::{self, Undone};
use crate::errno::errno_of;
use crate::failure::Residue;
use crate::journal::{self, Abandoned, Account, Found};
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
    /// The file cannot be read, or is not a journal of this version; it was not changed.
    Unreadable {
        /// Why it cannot be used.
        reason: String,
    },
    /// The changes of the session were undone. The journal was removed unless [`Undone::can_go_on`].
    Undone(Undone),
}

/// A recovery that could not begin: the directory of the journals could not be read, or the id of this boot could not be
/// read, so that the age of the journals is unknown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {errno}", path.display())]
pub struct RecoverError {
    /// The file or directory.
    pub path: PathBuf,
    /// The error number.
    pub errno: Errno,
}

/// Undoes the changes that killed sessions left. A locked journal belongs to a running session and is skipped. An error
/// with one journal does not stop the recovery of the others.
///
/// # Errors
/// [`RecoverError`].
pub fn recover(runtime_dir: &Path, tracefs: &Tracefs) -> Result<Recovery, RecoverError> {
    let failed =
        |path: &Path, error: &io::Error| RecoverError { path: path.to_owned(), errno: errno_of(error) };
    let boot_id = journal::boot_id().map_err(|error| failed(journal::BOOT_ID.as_ref(), &error))?;
    let mut recovery = Recovery::default();
    for journal in journal::list(runtime_dir).map_err(|error| failed(runtime_dir, &error))? {
        let outcome = match journal::examine(&journal) {
            None => continue,
            Some(Found::Live) => Outcome::Live,
            Some(Found::Unreadable { reason }) => Outcome::Unreadable { reason },
            Some(Found::Complete { journal, header, .. }) if header.boot_id != boot_id => {
                match ended(journal, Undone::default()) {
                    Outcome::Undone(undone) if undone.left.is_empty() => Outcome::OtherBoot,
                    kept => kept,
                }
            }
            Some(Found::Complete { journal, header, account }) => {
                ended(journal, undo::undo(tracefs, &header.instance, &account))
            }
            Some(Found::Incomplete { journal, instance }) => {
                ended(journal, undo::undo(tracefs, &instance, &Account::default()))
            }
        };
        recovery.journals.push(Recovered { journal, outcome });
    }
    if runtime_dir == Path::new(DEFAULT_RUNTIME_DIR)
        && let Err(errno) = journal::remove_if_empty(runtime_dir)
    {
        recovery.directory = Some(Residue::new(runtime_dir.to_owned(), errno));
    }
    Ok(recovery)
}

/// Removes the journal unless another recovery may undo more.
fn ended(journal: Abandoned, mut undone: Undone) -> Outcome {
    if !undone.can_go_on()
        && let Err(error) = journal.remove()
    {
        undone.left.push(error.into());
    }
    Outcome::Undone(undone)
}
