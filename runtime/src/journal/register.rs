//! The owners of shared values: the journals of a directory, taken together.
//!
//! A value that two sessions want alike is written once. The old value that the first has found returns when the last of
//! them leaves. Each journal has all that is needed for that: the second session takes the old value over from the first.

use std::io;
use std::time::Duration;

use rustix::fd::OwnedFd;
use rustix::fs::FlockOperation;
use rustix::io::Errno;
use tracec_kernel::plan::Location;

use super::account::JournalEntry;
use super::directory::{JournalDirectory, OpenedRead};
use super::{LONGEST, account, boot_id, line};
use crate::errno::errno_of;

/// The attempts to get the lock, and the wait between two. Others hold it while they write one value.
const ATTEMPTS: u32 = 500;
const WAIT: Duration = Duration::from_millis(10);

/// The register of a directory. While it exists, no other session changes a shared value.
#[derive(Debug)]
pub(crate) struct Register {
    directory: JournalDirectory,
    _lock: OwnedFd,
}

/// A session that has written a shared value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The name of its instance.
    pub(crate) instance: String,
    /// The value that it has written, in a form that can be compared.
    pub(crate) value: String,
    /// The value that the file shows since.
    pub(crate) shows: String,
    /// The value that returns when the last owner leaves.
    pub(crate) old: String,
    /// Whether its session runs.
    pub(crate) is_live: bool,
}

impl Register {
    /// Locks the register of a directory.
    ///
    /// # Errors
    /// `EWOULDBLOCK` if another session holds it for seconds, or the error of a system call.
    pub(crate) fn lock(directory: &JournalDirectory) -> Result<Self, Errno> {
        let (directory, lock) = (directory.try_clone()?, directory.reopen()?);
        for _ in 1..ATTEMPTS {
            match rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive) {
                Err(Errno::WOULDBLOCK) => std::thread::sleep(WAIT),
                locked => return locked.map(|()| Register { directory, _lock: lock }),
            }
        }
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        Ok(Register { directory, _lock: lock })
    }

    /// Notes in the journal `own` that its session leaves the value of a file to another owner.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub(crate) fn release(&self, own: &str, file: &Location) -> io::Result<()> {
        let mut entry = Vec::new();
        line::push(&mut entry, &JournalEntry::Released { file: file.clone() })?;
        self.directory.append(own, &entry)
    }

    /// Returns the sessions that own the value of a file, except for the one with the journal `own`. A file that is not a
    /// journal of this boot owns nothing.
    pub(crate) fn owners(&self, own: &str, file: &Location) -> Result<Vec<Owner>, Errno> {
        let boot = boot_id().map_err(|error| errno_of(&error))?;
        let names = self.directory.journals().map_err(|error| error.errno())?;
        let owner = |name: &String| -> Option<Owner> {
            let OpenedRead { bytes, is_live } = self.directory.read(name, LONGEST).ok()?;
            let (header, account) = account::parse(&bytes).ok()??;
            let (last, old) = account.original(file)?;
            (header.boot_id == boot).then(|| Owner {
                instance: header.instance.to_string(),
                value: last.value.to_owned(),
                shows: last.left_behind().to_owned(),
                old: old.to_owned(),
                is_live,
            })
        };
        Ok(names.iter().filter(|name| *name != own).filter_map(owner).collect())
    }
}
