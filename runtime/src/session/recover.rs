//! What killed sessions left, found by their journals and undone.

use std::path::{Path, PathBuf};

use tracec_kernel::plan::InstanceName;

use super::error::{JournalError, Residue};
use super::journal::{self, Abandoned, Found, Intent};
use super::{DEFAULT_RUNTIME_DIR, undo};
use crate::tracefs::Tracefs;

/// What the instances begin with that tracec names itself: `tracec.FILE.PID`.
const OWN_PREFIX: &str = "tracec.";

/// One journal, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The journal.
    pub journal: PathBuf,
    /// What was done.
    pub outcome: Outcome,
}

/// What was done about a journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The session lives; nothing was done.
    Live,
    /// The session's instance was removed, then the journal.
    InstanceRemoved,
    /// The instance was gone already; the journal was removed.
    NothingLeft,
    /// The journal is from before a reboot; it was removed.
    OtherBoot,
    /// The instance of that name is not the one the session made, or it cannot be told whether it is; it was left, the
    /// journal was removed.
    InstanceIsForeign,
    /// The file is no journal of this version; it was left alone.
    Unreadable {
        /// Why it cannot be used.
        reason: String,
    },
    /// The instance could not be removed; the journal was kept.
    Left(Residue),
}

/// Why recovery had to stop.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecoverError {
    /// A journal, or the directory of the journals, could not be read or removed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The id of this boot could not be read, so nothing is known about the age of the journals.
    #[error("the id of this boot cannot be read: {reason}")]
    BootId {
        /// Why.
        reason: String,
    },
}

/// Undoes what killed sessions left. A journal that is locked belongs to a living session and is left alone.
///
/// # Errors
/// [`RecoverError`]; what was recovered before stays so.
pub fn recover(runtime_dir: &Path, tracefs: &Tracefs) -> Result<Vec<Recovered>, RecoverError> {
    let boot_id = journal::boot_id().map_err(|error| RecoverError::BootId { reason: error.to_string() })?;
    let mut done = Vec::new();
    for path in journal::list(runtime_dir)? {
        let outcome = match journal::examine(&path)? {
            None => continue,
            Some(Found::Live) => Outcome::Live,
            Some(Found::Foreign { reason }) => Outcome::Unreadable { reason },
            Some(Found::Incomplete(journal)) => {
                journal.remove()?;
                Outcome::NothingLeft
            }
            Some(Found::Complete { journal, intent, .. }) if intent.boot_id != boot_id => {
                journal.remove()?;
                Outcome::OtherBoot
            }
            Some(Found::Complete { journal, intent, inode }) => {
                recover_instance(tracefs, &intent, inode, journal)?
            }
        };
        done.push(Recovered { journal: path, outcome });
    }
    if runtime_dir == Path::new(DEFAULT_RUNTIME_DIR) {
        journal::remove_if_empty(runtime_dir)?;
    }
    Ok(done)
}

fn recover_instance(
    tracefs: &Tracefs,
    intent: &Intent,
    inode: Option<u64>,
    journal: Abandoned,
) -> Result<Outcome, RecoverError> {
    let name = &intent.instance;
    let left = |errno| Outcome::Left(Residue { path: tracefs.instance_path(name), errno });
    let outcome = match tracefs.instance_inode(name) {
        Err(errno) => return Ok(left(errno)),
        Ok(None) => Outcome::NothingLeft,
        Ok(Some(found)) if is_own(name, inode, found) => {
            if let Err(errno) = undo::remove_directory(tracefs, name) {
                return Ok(left(errno));
            }
            Outcome::InstanceRemoved
        }
        Ok(Some(_)) => Outcome::InstanceIsForeign,
    };
    journal.remove()?;
    Ok(outcome)
}

/// Whether the instance with the inode `found` is the one that a journal is about.
///
/// A session killed around its mkdir has noted no inode. If it was killed before, someone else may have made an instance
/// of a name that a user chose. A name that tracec made holds the pid of the session, so nobody else would.
fn is_own(name: &InstanceName, noted: Option<u64>, found: u64) -> bool {
    noted.map_or(name.as_str().starts_with(OWN_PREFIX), |noted| noted == found)
}
