//! Recovery: finds the journals of killed sessions and undoes their changes.

use std::path::{Path, PathBuf};

use super::DEFAULT_RUNTIME_DIR;
use super::error::{JournalError, Residue};
use super::journal::{self, Found};
use super::undo::{self, Instance};
use crate::tracefs::Tracefs;

/// A journal and the result of its recovery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The journal.
    pub journal: PathBuf,
    /// The result for its instance.
    pub outcome: Outcome,
    /// The shared files whose old values were restored.
    pub restored: Vec<PathBuf>,
    /// The events that the session had defined and that were removed.
    pub removed: Vec<PathBuf>,
    /// The shared files and the events that could not be undone.
    pub left: Vec<Residue>,
    /// Whether the journal was kept because another attempt may put back more.
    pub can_go_on: bool,
}

/// The result of recovering a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The session still runs; nothing was done.
    Live,
    /// The session's instance was removed.
    InstanceRemoved,
    /// The instance no longer existed.
    NothingLeft,
    /// The journal is from before a reboot; it was removed.
    OtherBoot,
    /// The instance of that name is not the session's, or it is unknown whether it is; it was not removed.
    InstanceIsForeign,
    /// The file is not a journal of this version; it was not changed.
    Unreadable {
        /// Why it cannot be used.
        reason: String,
    },
    /// The instance could not be removed; the journal was kept.
    Left(Residue),
}

/// The reason why recovery stopped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoverError {
    /// A journal, or the directory of the journals, could not be read or removed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The id of this boot could not be read, so that the age of the journals is unknown.
    #[error("the id of this boot cannot be read: {reason}")]
    BootId {
        /// The error.
        reason: String,
    },
}

/// Undoes the changes that killed sessions left. A locked journal belongs to a running session and is skipped.
///
/// # Errors
/// [`RecoverError`]; journals before the error are recovered.
pub fn recover(runtime_dir: &Path, tracefs: &Tracefs) -> Result<Vec<Recovered>, RecoverError> {
    let boot_id = journal::boot_id().map_err(|error| RecoverError::BootId { reason: error.to_string() })?;
    let mut done = Vec::new();
    for journal in journal::list(runtime_dir)? {
        let (mut restored, mut removed, mut left, mut can_go_on) =
            (Vec::new(), Vec::new(), Vec::new(), false);
        let outcome = match journal::examine(&journal)? {
            None => continue,
            Some(Found::Live) => Outcome::Live,
            Some(Found::Foreign { reason }) => Outcome::Unreadable { reason },
            Some(Found::Incomplete(journal)) => {
                journal.remove()?;
                Outcome::NothingLeft
            }
            Some(Found::Complete { journal, header, .. }) if header.boot_id != boot_id => {
                journal.remove()?;
                Outcome::OtherBoot
            }
            Some(Found::Complete { journal, header, account }) => {
                let undone = undo::undo(tracefs, &header.instance, &account);
                can_go_on = undone.can_go_on();
                if !can_go_on {
                    journal.remove()?;
                }
                (restored, removed, left) = (undone.restored, undone.removed, undone.left);
                undone.instance.into()
            }
        };
        done.push(Recovered { journal, outcome, restored, removed, left, can_go_on });
    }
    if runtime_dir == Path::new(DEFAULT_RUNTIME_DIR) {
        journal::remove_if_empty(runtime_dir)?;
    }
    Ok(done)
}

impl From<Instance> for Outcome {
    fn from(instance: Instance) -> Self {
        match instance {
            Instance::Removed => Outcome::InstanceRemoved,
            Instance::Gone => Outcome::NothingLeft,
            Instance::Foreign => Outcome::InstanceIsForeign,
            Instance::Left(residue) => Outcome::Left(residue),
        }
    }
}
