//! Undoes a session from its account alone, for the session itself and for recovery.

use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use tracec_kernel::plan::{Definition, InstanceName, Location};

use super::error::{Cause, Residue};
use super::journal::{Account, Changed, Created, Defined, Journal};
use crate::tracefs::{Tracefs, WriteFailure};

/// The waits between attempts while another process keeps a file of the instance open: about a second in total.
///
/// The kernel refuses to remove an instance with an open file and has no event for its closing, so the removal is tried
/// again. A session closes its own files first, so the first attempt succeeds unless another process (`cat trace_pipe`)
/// holds one open. The session has ended by then: only the removal waits.
const PATIENCE: [Duration; 9] = {
    let mut waits = [Duration::ZERO; 9];
    let mut index = 0;
    while index < waits.len() {
        waits[index] = Duration::from_millis(2 << index);
        index += 1;
    }
    waits
};

/// The prefix of instance names that tracec chooses: `tracec.FILE.PID`.
const OWN_PREFIX: &str = "tracec.";

/// The result of undoing a session's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The shared files whose old values were restored.
    pub restored: Vec<PathBuf>,
    /// The instance and the events that were removed.
    pub removed: Vec<PathBuf>,
    /// The things that could not be undone, or are not known to be the session's.
    pub left: Vec<Residue>,
}

impl Undone {
    /// Returns whether another attempt may undo more.
    pub fn can_go_on(&self) -> bool {
        self.left.iter().any(|residue| matches!(residue.cause, Cause::System(_)))
    }

    /// Notes the removal of something, if there was something to remove, or the reason why it is left.
    fn note_removal(&mut self, path: PathBuf, removed: Result<bool, Cause>) {
        match removed {
            Ok(true) => self.removed.push(path),
            Ok(false) => {}
            Err(cause) => self.left.push(Residue { path, cause }),
        }
    }
}

/// Undoes an account in the reverse order of its steps. Events are removed after the instance, which uses them. An
/// error does not stop the rest of the undo.
pub(super) fn undo(tracefs: &Tracefs, name: &InstanceName, account: &Account) -> Undone {
    let mut undone = Undone::default();
    let mut seen: Vec<&Location> = Vec::new();
    for last in account.changed.iter().rev() {
        let file = &last.change.file;
        if seen.contains(&file) {
            continue;
        }
        seen.push(file);
        let earlier = account.changed.iter().rev().filter(|changed| changed.change.file == *file).skip(1);
        let path = tracefs.path_of(file);
        match restore(tracefs, last, old_value(last, earlier)) {
            Ok(true) => undone.restored.push(path),
            Ok(false) => {}
            Err(cause) => undone.left.push(Residue { path, cause }),
        }
    }
    undone.note_removal(tracefs.instance_path(name), remove_instance(tracefs, name, account.created));
    // An event cannot be removed while an instance records it.
    for defined in account.defined.iter().rev() {
        let path = tracefs.path().join("events").join(defined.definition.event());
        undone.note_removal(path, remove_event(tracefs, defined));
    }
    undone
}

/// Undoes a session of this process, and removes its journal unless a recovery may put back more.
pub(super) fn undo_own(tracefs: &Tracefs, name: &InstanceName, journal: &Journal) -> Vec<Residue> {
    let undone = undo(tracefs, name, journal.account());
    let keep_journal = undone.can_go_on();
    let mut residue = undone.left;
    // Another program removed the session's instance; an instance of its name now belongs to that program.
    residue.retain(|left| left.cause != Cause::Foreign);
    if !keep_journal {
        residue.extend(remove_journal(journal));
    }
    residue
}

/// Removes an instance that this process has just created, then its journal.
pub(super) fn remove_new_instance(tracefs: &Tracefs, name: &InstanceName, journal: &Journal) -> Vec<Residue> {
    match remove_directory(tracefs, name) {
        Ok(()) => remove_journal(journal).into_iter().collect(),
        Err(errno) => vec![Residue::new(tracefs.instance_path(name), errno)],
    }
}

fn remove_journal(journal: &Journal) -> Option<Residue> {
    journal.remove().err().map(|error| Residue::new(journal.path().to_owned(), error.errno()))
}

/// Returns the value that a file held before the first of its writes. `earlier` are the writes before the last, in
/// reverse order. If another program has written between two of them, it is the value that the other program wrote.
fn old_value<'a>(last: &'a Changed, earlier: impl Iterator<Item = &'a Changed>) -> &'a str {
    let mut old = last.change.old();
    for write in earlier {
        if write.left_behind() != old {
            break;
        }
        old = write.change.old();
    }
    old
}

/// Restores a file's old value if the file still holds the value that the session left. Returns whether there was
/// something to restore. Another program may write between the read and the write; the kernel offers no way to prevent
/// that.
fn restore(tracefs: &Tracefs, last: &Changed, old: &str) -> Result<bool, Cause> {
    let file = &last.change.file;
    let read = || tracefs.read_shared(file).map(|text| file.shown_value(&text).to_owned());
    let holds = match read() {
        Ok(holds) => holds,
        // The file no longer exists, and neither does the value.
        Err(Errno::NOENT) => return Ok(false),
        Err(errno) => return Err(Cause::System(errno)),
    };
    let is_noted = last.shows.is_some();
    if holds == old || is_noted && last.left_behind() == old {
        return Ok(false);
    }
    // If the session was killed, its last write may not have begun.
    let not_begun = !is_noted && holds == last.change.old();
    if holds != last.left_behind() && !not_begun {
        return Err(match is_noted {
            true => Cause::Overwritten { holds },
            false => Cause::Unconfirmed { holds, value: last.change.value.clone() },
        });
    }
    tracefs.write_shared(file, old).map_err(|failure| Cause::System(failure.errno()))?;
    match read() {
        Ok(holds) if holds == old => Ok(true),
        Ok(holds) => Err(Cause::NotRestored { holds, old: old.to_owned() }),
        Err(errno) => Err(Cause::System(errno)),
    }
}

/// Removes an event if it is listed as the session left it. Returns whether there was something to remove.
///
/// If its lines were not recorded, the session was killed during the definition. No such event existed before, and no
/// other program defines events in a group of tracec.
fn remove_event(tracefs: &Tracefs, Defined { definition, shows, .. }: &Defined) -> Result<bool, Cause> {
    let root = tracefs.root();
    let listing = root.read_text(Definition::LIST).map_err(Cause::System)?;
    let holds = definition.listed(&listing);
    match shows {
        _ if holds.is_empty() => return Ok(false),
        // The definition was refused, or another program has removed the event and defined another.
        Some(shows) if *shows != holds => return Err(Cause::Overwritten { holds }),
        Some(_) | None => {}
    }
    match root.write(Definition::LIST, definition.removal().as_bytes()) {
        Ok(()) => Ok(true),
        Err(WriteFailure::Write(Errno::NOENT)) => Ok(false),
        Err(failure) => Err(Cause::System(failure.errno())),
    }
}

/// Removes the instance if it is the session's. Returns whether there was one of its name.
///
/// A session that was killed during its mkdir has recorded no inode. If it was killed before the mkdir, another program
/// may have created an instance of a name that a user chose. A name that tracec chose contains the pid of the session,
/// so no other program uses it.
fn remove_instance(tracefs: &Tracefs, name: &InstanceName, created: Option<Created>) -> Result<bool, Cause> {
    let Some(found) = tracefs.instance_inode(name).map_err(Cause::System)? else { return Ok(false) };
    match created {
        Some(Created { inode: Some(inode) }) if inode != found => return Err(Cause::Foreign),
        Some(Created { inode: None }) if !name.as_str().starts_with(OWN_PREFIX) => {
            return Err(Cause::UnknownInstance);
        }
        None => return Err(Cause::UnknownInstance),
        Some(_) => {}
    }
    remove_directory(tracefs, name).map_err(Cause::System)?;
    Ok(true)
}

/// Runs `rmdir`, and waits for a process that may close its files (`instance_rmdir`, kernel/trace/trace.c).
fn remove_directory(tracefs: &Tracefs, name: &InstanceName) -> Result<(), Errno> {
    for wait in PATIENCE {
        match tracefs.remove_instance(name) {
            Err(Errno::BUSY) => std::thread::sleep(wait),
            Err(Errno::NOENT) => return Ok(()),
            done => return done,
        }
    }
    tracefs.remove_instance(name)
}
