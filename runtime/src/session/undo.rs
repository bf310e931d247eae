//! An instance taken away again.

use std::time::Duration;

use rustix::io::Errno;
use tracec_kernel::plan::InstanceName;

use super::error::Residue;
use super::journal::Journal;
use crate::tracefs::Tracefs;

/// Waits between attempts while another process keeps a file of the instance open: about a second in all.
///
/// The kernel refuses to remove an instance with an open file and has no event for its closing, so there is nothing to
/// wait for but time. A session closes its own files first, so the first attempt succeeds unless a foreign process
/// (`cat trace_pipe`) holds one. The session has ended by then: only the removal waits.
const PATIENCE: [Duration; 9] = {
    let mut waits = [Duration::ZERO; 9];
    let mut index = 0;
    while index < waits.len() {
        waits[index] = Duration::from_millis(2 << index);
        index += 1;
    }
    waits
};

/// Removes the instance with this inode, then its journal. If the instance stays, so does the journal.
pub(super) fn remove_instance(
    tracefs: &Tracefs,
    name: &InstanceName,
    inode: u64,
    journal: Journal,
) -> Vec<Residue> {
    match tracefs.instance_inode(name) {
        Ok(Some(found)) if found == inode => remove_new_instance(tracefs, name, journal),
        // Someone removed ours; what bears its name now, if anything, is theirs.
        Ok(_) => remove_journal(journal),
        Err(errno) => vec![Residue { path: tracefs.instance_path(name), errno }],
    }
}

/// Removes an instance that this process has just made, then its journal.
pub(super) fn remove_new_instance(tracefs: &Tracefs, name: &InstanceName, journal: Journal) -> Vec<Residue> {
    match remove_directory(tracefs, name) {
        Ok(()) => remove_journal(journal),
        Err(errno) => vec![Residue { path: tracefs.instance_path(name), errno }],
    }
}

/// `rmdir`, patient with a process that is about to close its files (`instance_rmdir`, kernel/trace/trace.c).
pub(super) fn remove_directory(tracefs: &Tracefs, name: &InstanceName) -> Result<(), Errno> {
    for wait in PATIENCE {
        match tracefs.remove_instance(name) {
            Err(Errno::BUSY) => std::thread::sleep(wait),
            Err(Errno::NOENT) => return Ok(()),
            done => return done,
        }
    }
    tracefs.remove_instance(name)
}

fn remove_journal(journal: Journal) -> Vec<Residue> {
    let path = journal.path().to_owned();
    match journal.remove() {
        Ok(()) => Vec::new(),
        Err(error) => vec![Residue { path, errno: error.errno() }],
    }
}
