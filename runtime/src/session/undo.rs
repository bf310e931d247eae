//! Undoes a session from its account alone, for the session itself and for recovery.

use std::path::PathBuf;
use std::time::Duration;

use rustix::io::Errno;
use tracec_kernel::plan::{Definition, InstanceName, Location, ModuleName};
use tracec_kernel::tables::files::{BUFFER_SIZE, SUBBUFFER_SIZE};
use tracec_kernel::tables::limits::SUBBUFFER_PAGE_KIB;

use super::own_name;
use crate::failure::{Cause, Residue};
use crate::journal::{Account, Begun, Journal, JournalDirectory, JournalledUndo, Owner, Register, State};
use crate::modules;
use crate::tracefs::{Tracefs, WriteFailure};

/// The number of waits while another process keeps a file of the instance open. Each is twice as long as the one
/// before, which is about a second in total.
///
/// The kernel refuses to remove an instance with an open file and has no event for its closing, so the removal is tried
/// again. A session closes its own files first, so the first attempt succeeds unless another process (`cat trace_pipe`)
/// holds one open. The session has ended by then: only the removal waits.
const WAITS: u32 = 9;

/// What proves that an instance whose inode was not recorded is the session's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Proof {
    /// A name that the process with this id chose: no other program uses it.
    OwnName { pid: u32 },
    /// Somebody has named the instance to be removed.
    Asked,
}

/// The journals of other sessions, which may own what a session has changed.
pub(super) struct Owners<'d> {
    /// The directory of the journals.
    pub(super) directory: &'d JournalDirectory,
    /// The name of the session's own journal.
    pub(super) own: &'d str,
}

impl Owners<'_> {
    /// Locks the register. If that is impossible, nobody else is known: what a session has changed is put back rather than
    /// left.
    fn lock(&self) -> Option<Register> {
        Register::lock(self.directory).ok()
    }

    /// Leaves the value of a file to another session that runs and owns it too. Returns whether there is one.
    fn leave(&self, register: Option<&Register>, file: &Location, account: &Account) -> bool {
        let (Some(register), Some((last, _))) = (register, account.original(file)) else { return false };
        let owners = register.owners(self.own, file).unwrap_or_default();
        let is_owner = |owner: &Owner| owner.is_live && owner.shows == last.left_behind();
        owners.iter().any(is_owner) && register.release(self.own, file).is_ok()
    }
}

/// The result of undoing a session's changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undone {
    /// The shared files whose old values were restored.
    pub restored: Vec<PathBuf>,
    /// The instance and the events that were removed, and the modules that were unloaded.
    pub removed: Vec<PathBuf>,
    /// The things that could not be undone, or are not known to be the session's.
    pub left: Vec<Residue>,
}

impl Undone {
    /// Returns whether the journal is kept: another attempt may undo more, or somebody has to say whose an instance is.
    pub fn keeps_journal(&self) -> bool {
        self.left.iter().any(Residue::is_open)
    }

    /// Adds a path to a list if something was done there, or the reason why it is left.
    fn note(&mut self, path: PathBuf, done: Result<bool, Cause>, list: fn(&mut Self) -> &mut Vec<PathBuf>) {
        match done {
            Ok(true) => list(self).push(path),
            Ok(false) => {}
            Err(cause) => self.left.push(Residue { path, cause }),
        }
    }
}

/// Undoes an account in the reverse order of its steps, but removes events and unloads modules after the instance, which
/// uses them. An error does not stop the rest of the undo.
pub(super) fn undo(
    tracefs: &Tracefs,
    name: &InstanceName,
    account: &Account,
    (proof, owners): (Proof, &Owners<'_>),
) -> Undone {
    let mut undone = Undone::default();
    let mut files: Vec<&Location> = Vec::new();
    // Held while values are put back, and not while an instance is removed, which takes the kernel a while.
    let mut register = None;
    for begun in account.0.iter().rev() {
        if let JournalledUndo::RestoreIfOurs { file, .. } = &begun.undo
            && !files.contains(&file)
        {
            files.push(file);
            let register = register.get_or_insert_with(|| owners.lock());
            // The last owner of a value puts it back. Who leaves it to another says so, or each would leave it to the other.
            let restored = match owners.leave(register.as_ref(), file, account) {
                true => Ok(false),
                false => restore(tracefs, file, account),
            };
            undone.note(tracefs.path_of(file), restored, |undone| &mut undone.restored);
        }
    }
    drop(register);
    let removed = remove_instance(tracefs, name, account.0.first(), proof);
    undone.note(tracefs.instance_path(name), removed, |undone| &mut undone.removed);
    for begun in account.0.iter().rev() {
        if let JournalledUndo::RemoveEvent { definition } = &begun.undo {
            let path = tracefs.path().join("events").join(definition.event());
            let removed = remove_event(tracefs, definition, begun.state.as_ref());
            undone.note(path, removed, |undone| &mut undone.removed);
        }
        if let JournalledUndo::Unload { module, session } = &begun.undo {
            let unloaded = unload(module, session, begun.state.as_ref());
            undone.note(modules::directory(module), unloaded, |undone| &mut undone.removed);
        }
    }
    undone
}

/// Undoes a session of this process, and removes its journal unless a recovery may put back more.
pub(super) fn undo_own(tracefs: &Tracefs, name: &InstanceName, journal: &Journal) -> Vec<Residue> {
    let proof = Proof::OwnName { pid: own_name::pid() };
    let owners = Owners { directory: journal.directory(), own: journal.name() };
    let mut undone = undo(tracefs, name, journal.account(), (proof, &owners));
    // Another program removed the session's instance; an instance of its name now belongs to that program.
    undone.left.retain(|left| left.cause != Cause::Foreign);
    if !undone.keeps_journal() {
        undone.left.extend(journal.remove().err().map(Residue::from));
    }
    undone.left
}

/// Restores the value that a file held before the session's writes, if it still holds what the last of them left.
/// Returns whether there was something to restore. Another program may write between the read and the write; the kernel
/// offers no way to prevent that.
fn restore(tracefs: &Tracefs, file: &Location, account: &Account) -> Result<bool, Cause> {
    let Some((last, old)) = account.original(file) else { return Ok(false) };
    let read = || tracefs.read_shared(file).map(|text| file.shown_value(&text).to_owned());
    let holds = match read() {
        // The file no longer exists, and neither does the value.
        Err(Errno::NOENT) => return Ok(false),
        holds => holds.map_err(Cause::System)?,
    };
    if holds == old || last.shows == Some(old) {
        return Ok(false);
    }
    match last.shows {
        Some(shows) if holds != shows => return Err(Cause::Overwritten { holds }),
        // If the session was killed, its last write may not have begun.
        None if holds != last.value && holds != last.old => {
            return Err(Cause::Unconfirmed { holds, value: last.value.to_owned() });
        }
        Some(_) | None => {}
    }
    tracefs.write_shared(file, old).map_err(|failure| Cause::System(failure.errno()))?;
    match read().map_err(Cause::System)? {
        holds if holds == old || is_rounded(tracefs, file, (old, &holds)) => Ok(true),
        holds => Err(Cause::NotRestored { holds, old: old.to_owned() }),
    }
}

/// Returns whether a size is shown as it was written, rounded up to whole sub-buffers: that of a buffer that was not used
/// before is not (kernel/trace/trace.c, `tracing_entries_read`).
fn is_rounded(tracefs: &Tracefs, file: &Location, (written, shown): (&str, &str)) -> bool {
    let Location::Top(path) = file else { return false };
    if path.as_str() != BUFFER_SIZE {
        return false;
    }
    // Kernels before 6.8 have sub-buffers of one page.
    let subbuffer = tracefs.root().read_text(SUBBUFFER_SIZE).ok().and_then(|size| size.trim().parse().ok());
    let (Ok(written), Ok(shown)) = (written.parse::<u64>(), shown.parse::<u64>()) else { return false };
    shown.checked_sub(written).is_some_and(|more| more <= subbuffer.unwrap_or(SUBBUFFER_PAGE_KIB))
}

/// Removes an event if it is listed as the session left it. Returns whether there was something to remove.
///
/// If its lines were not recorded, the session was killed during the definition. No such event existed before, and no
/// other program defines events in a group of tracec.
fn remove_event(tracefs: &Tracefs, definition: &Definition, state: Option<&State>) -> Result<bool, Cause> {
    let root = tracefs.root();
    let holds = definition.listed(&root.read_text(Definition::LIST).map_err(Cause::System)?);
    if holds.is_empty() {
        return Ok(false);
    }
    // The definition was refused, or another program has removed the event and defined another.
    if state.is_some_and(|state| !matches!(state, State::Shows(shows) if *shows == holds)) {
        return Err(Cause::Overwritten { holds });
    }
    match root.write(Definition::LIST, definition.removal().as_bytes()) {
        Ok(()) => Ok(true),
        Err(WriteFailure::Write(Errno::NOENT)) => Ok(false),
        Err(failure) => Err(Cause::System(failure.errno())),
    }
}

/// Unloads a module if it is the one that the session loaded. Returns whether there was something to unload.
///
/// A module of tracec shows the session that has loaded it, also while its load is not recorded yet. Another one is known
/// by its build, once that is recorded.
fn unload(module: &ModuleName, session: &str, state: Option<&State>) -> Result<bool, Cause> {
    let Some(holds) = modules::build_id(module).map_err(Cause::System)? else { return Ok(false) };
    let shown = modules::session(module).map_err(Cause::System)?;
    let is_build = state.map(|state| matches!(state, State::Shows(shows) if *shows == holds));
    let is_ours = match (shown, is_build) {
        (_, Some(false)) | (None, None) => false,
        (Some(shown), _) => shown == session,
        (None, Some(true)) => true,
    };
    if !is_ours {
        return Err(Cause::Foreign);
    }
    // A trigger of another instance, or a command that the session started, can still use it.
    for wait in 0..WAITS {
        match modules::unload(module) {
            Err(Errno::BUSY) => std::thread::sleep(Duration::from_millis(2 << wait)),
            Err(Errno::NOENT) => return Ok(false),
            done => return done.map(|()| true).map_err(Cause::System),
        }
    }
    modules::unload(module).map(|()| true).map_err(Cause::System)
}

/// Removes the instance if it is the session's. Returns whether there was one of its name.
///
/// A session that was killed during its mkdir has recorded no inode. If it was killed before the mkdir, another program
/// may have created an instance of a name that a user chose.
fn remove_instance(
    tracefs: &Tracefs,
    name: &InstanceName,
    created: Option<&Begun>,
    proof: Proof,
) -> Result<bool, Cause> {
    let Some(found) = tracefs.instance_inode(name).map_err(Cause::System)? else { return Ok(false) };
    let is_proven = match (created.map(|created| &created.state), proof) {
        (Some(Some(state)), _) if *state != State::Inode(found) => return Err(Cause::Foreign),
        (Some(Some(_)), _) | (_, Proof::Asked) => true,
        (Some(None), Proof::OwnName { pid }) => own_name::is_own(name, pid),
        (None, Proof::OwnName { .. }) => false,
    };
    if !is_proven {
        return Err(Cause::UnknownInstance);
    }
    remove_directory(tracefs, name).map_err(Cause::System)?;
    Ok(true)
}

/// Runs `rmdir`, and waits for a process that may close its files (`instance_rmdir`, kernel/trace/trace.c).
pub(super) fn remove_directory(tracefs: &Tracefs, name: &InstanceName) -> Result<(), Errno> {
    for wait in 0..WAITS {
        match tracefs.remove_instance(name) {
            Err(Errno::BUSY) => std::thread::sleep(Duration::from_millis(2 << wait)),
            Err(Errno::NOENT) => return Ok(()),
            done => return done,
        }
    }
    tracefs.remove_instance(name)
}
