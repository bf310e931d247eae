//! Applies a plan step by step as one transaction.

use std::cell::OnceCell;
use std::ops::Range;
use std::path::Path;

use rustix::io::Errno;
use tracec_kernel::plan::{Action, Definition, InstanceName, Location, ModuleName, Step, Transaction};

use super::error::{ApplyError, Call, UndoError};
use super::error_log;
use super::own_tasks;
use super::scope::{self, Unlimited};
use super::signals::Blocked;
use super::undo;
use crate::failure::Residue;
use crate::journal::{Journal, JournalError, JournalledUndo, Owner, State};
use crate::modules;
use crate::record::children::Scoped;
use crate::roll_call::RollCall;
use crate::tracefs::{Directory, Tracefs, TracefsError, WriteFailure};

/// An applied transaction. Dropping it undoes it, also in a panic; [`Applied::undo`] also reports errors.
///
/// While it exists, signals that would end the process are blocked in the thread. One that arrives has its effect after
/// the undo. Other threads of the process should block them too.
#[derive(Debug)]
pub struct Applied<'t> {
    tracefs: &'t Tracefs,
    instance: Directory,
    name: InstanceName,
    journal: Journal,
    /// The tasks that it is limited to.
    scoped: Scoped,
    is_undone: bool,
    /// Dropped last, after the undo.
    _signals: Blocked,
}

/// The tasks of this process that a transaction is about.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    /// The threads of the session besides the calling one. They are called once.
    pub(super) own: RollCall,
    /// The kernel's ids of them and the calling one, once they are known.
    pub(super) ids: OnceCell<Vec<i32>>,
    /// The id of the session's command.
    pub(super) command: Option<u32>,
}

/// Applies a transaction completely, or not at all.
///
/// A journal in `runtime_dir` records the undo of each step before the step is done, so that
/// [`recover`](super::recover) can undo what a killed process left. Of the tasks of this process, the calling thread is
/// the one that [`Action::LeaveOut`] leaves out.
///
/// # Errors
/// [`ApplyError`]. All steps that were done are undone before it is returned.
pub fn apply<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
) -> Result<Applied<'t>, ApplyError> {
    apply_with(tracefs, transaction, runtime_dir, &Tasks::default())
}

/// Applies a transaction of a session with more threads of its own, or a command.
pub(super) fn apply_with<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
    tasks: &Tasks,
) -> Result<Applied<'t>, ApplyError> {
    arm(tracefs, transaction, runtime_dir, (tasks, transaction.steps().len()))
}

/// Applies the first steps of a transaction: [`Applied::finish`] does the rest.
pub(super) fn arm<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
    steps: (&Tasks, usize),
) -> Result<Applied<'t>, ApplyError> {
    if !tracefs.is_tracefs() {
        return Err(TracefsError::NotATracefs { path: tracefs.path().to_owned() }.into());
    }
    apply_to(tracefs, transaction, runtime_dir, steps)
}

/// Applies the first steps of a transaction to a directory that may be a copy of a tracefs.
pub(super) fn apply_to<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
    (tasks, steps): (&Tasks, usize),
) -> Result<Applied<'t>, ApplyError> {
    let mut applied = create(tracefs, transaction, runtime_dir)?;
    // Step 0, the creation of the instance, was done by `create`.
    applied.steps(transaction, 1..steps, tasks)?;
    Ok(applied)
}

fn create<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
) -> Result<Applied<'t>, ApplyError> {
    let signals = Blocked::new().map_err(|errno| ApplyError::Signals { errno })?;
    let name = transaction.instance();
    let taken = || ApplyError::InstanceTaken { name: name.to_string() };
    let failed = |errno| TracefsError::from_errno(&tracefs.instance_path(name), errno);
    // A journal must not name an instance that existed before, not even for a moment.
    if tracefs.instance_inode(name).map_err(failed)?.is_some() {
        return Err(taken());
    }
    let mut journal = Journal::create(runtime_dir, name, tracefs.path())?;
    if let Err(errno) = tracefs.make_instance(name) {
        journal.remove().map_err(JournalError::from)?;
        return Err(match errno {
            Errno::EXIST => taken(),
            Errno::PERM | Errno::ACCESS | Errno::ROFS => failed(errno).into(),
            errno => refusal(0, Call::MakeDirectory)(errno),
        });
    }
    match enter(tracefs, name, &mut journal) {
        Ok(instance) => {
            let name = name.clone();
            let scoped = Scoped::default();
            Ok(Applied { tracefs, instance, name, journal, scoped, is_undone: false, _signals: signals })
        }
        Err(reason) => {
            Err(ApplyError::Abandoned { reason, residue: undo::undo_own(tracefs, name, &journal) })
        }
    }
}

/// Opens an instance that this process has just created, and notes its inode first, so that it can be removed.
fn enter(tracefs: &Tracefs, name: &InstanceName, journal: &mut Journal) -> Result<Directory, String> {
    let inode = tracefs.instance_inode(name).map_err(|errno| errno.to_string())?;
    let inode = inode.ok_or("another program removed it")?;
    journal.done(0, State::Inode(inode)).map_err(|error| error.to_string())?;
    let instance = tracefs.open_instance(name).map_err(|error| error.to_string())?;
    match rustix::fs::fstat(instance.fd()) {
        Ok(stat) if stat.st_ino == inode => Ok(instance),
        Ok(_) => Err("another program replaced it".to_owned()),
        Err(errno) => Err(errno.to_string()),
    }
}

/// Returns the error for a refused step, without the kernel's message and the residue.
fn refusal(step: usize, call: Call) -> impl Fn(Errno) -> ApplyError {
    move |errno| ApplyError::Refused { step, call, errno, kernel: None, residue: Vec::new() }
}

/// Returns the error for a step that could not be journalled.
fn unjournalled(error: JournalError) -> ApplyError {
    ApplyError::Abandoned { reason: error.to_string(), residue: Vec::new() }
}

impl Applied<'_> {
    /// Returns the instance's name.
    pub fn instance(&self) -> &InstanceName {
        &self.name
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.instance
    }

    /// Returns the tasks that it is limited to.
    pub(super) fn scoped(&self) -> &Scoped {
        &self.scoped
    }

    /// Undoes the transaction. Every file of the instance that this process has open must be closed before.
    ///
    /// # Errors
    /// [`UndoError`] with the residue.
    pub fn undo(mut self) -> Result<(), UndoError> {
        let residue = self.take_away();
        if residue.is_empty() { Ok(()) } else { Err(UndoError { residue }) }
    }

    /// Does the steps of a transaction after the first ones. If one fails, all are undone.
    pub(super) fn finish(
        &mut self,
        transaction: &Transaction,
        first: usize,
        tasks: &Tasks,
    ) -> Result<(), ApplyError> {
        self.steps(transaction, first..transaction.steps().len(), tasks)
    }

    fn steps(
        &mut self,
        transaction: &Transaction,
        steps: Range<usize>,
        tasks: &Tasks,
    ) -> Result<(), ApplyError> {
        let all = transaction.steps().iter().enumerate();
        for (index, step) in all.take(steps.end).skip(steps.start) {
            if let Err(error) = self.carry_out(index, step, tasks) {
                return Err(self.failed(step, error));
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, index: usize, step: &Step, tasks: &Tasks) -> Result<(), ApplyError> {
        let written = match &step.action {
            // Done by `create`.
            Action::Create => return Ok(()),
            Action::LeaveOut => {
                let ids = match tasks.ids.get() {
                    Some(ids) => ids,
                    None => {
                        let found = own_tasks::ids(&self.instance, &tasks.own);
                        let unknown = |reason| ApplyError::OwnTasks { reason, residue: Vec::new() };
                        tasks.ids.get_or_init(found.map(|ids| move || ids).map_err(unknown)?)
                    }
                };
                let ids: Vec<String> = ids.iter().map(i32::to_string).collect();
                self.instance.write(Action::LEFT_OUT, ids.join(" ").as_bytes())
            }
            Action::Scope(scope) => {
                let write = |ids: &[u8]| self.instance.write(Action::SCOPE, ids);
                match scope::limit(scope, tasks.command, write) {
                    Ok(scoped) => {
                        self.scoped = scoped;
                        Ok(())
                    }
                    Err(Unlimited::Write(failure)) => Err(failure),
                    Err(Unlimited::Scope(error)) => {
                        return Err(ApplyError::Scope { step: index, error, residue: Vec::new() });
                    }
                }
            }
            Action::Write { file, value } | Action::Append { file, value } => match file {
                // The transaction has checked that this step is undone with the instance.
                Location::Instance(path) => self.instance.write(path.as_str(), value.as_bytes()),
                Location::Top(_) | Location::Sysctl(_) => self.change_shared(index, file, value)?,
            },
            Action::Define(definition) => self.define(index, definition)?,
            Action::Load { module, path } => return self.load(index, module, path),
        };
        written.map_err(|failure| match failure {
            WriteFailure::Open(errno) => refusal(index, Call::Open)(errno),
            WriteFailure::Write(errno) => refusal(index, Call::Write)(errno),
            WriteFailure::Short(written) => {
                let length = step.action.written().map_or(0, |(_, value)| value.len());
                ApplyError::ShortWrite { step: index, written, length, residue: Vec::new() }
            }
        })
    }

    /// Writes to a file that the session does not own, after a journal entry with the old value.
    fn change_shared(
        &mut self,
        step: usize,
        file: &Location,
        value: &str,
    ) -> Result<Result<(), WriteFailure>, ApplyError> {
        // Until the journal has its line, no other session reads or writes a shared value.
        let register = self.journal.register().map_err(refusal(step, Call::Register))?;
        let owners = register.owners(self.journal.name(), file).map_err(refusal(step, Call::Register))?;
        let old = self.tracefs.read_shared(file).map_err(refusal(step, Call::Read))?;
        let holds = file.shown_value(&old).to_owned();
        // The CPUs have buffers of different sizes: one number does not put them back.
        if holds == "X" {
            let file = file.to_string();
            let reason =
                "the CPUs have buffers of different sizes, which one number cannot put back".to_owned();
            return Err(ApplyError::Unrestorable { step, file, reason, residue: Vec::new() });
        }
        // An owner whose value has been changed since owns nothing any more.
        let owner = owners.into_iter().find(|owner| owner.shows == holds);
        let wanted = file.shown_value(value);
        let undo = |old| JournalledUndo::RestoreIfOurs { file: file.clone(), value: value.to_owned(), old };
        match owner {
            Some(owner) if owner.value != wanted => {
                let Owner { instance, value, .. } = owner;
                let file = file.to_string();
                return Err(ApplyError::ValueTaken { step, file, instance, value, residue: Vec::new() });
            }
            Some(owner) => {
                self.journal.intend(step, undo(owner.old)).map_err(unjournalled)?;
                self.journal.done(step, State::Shows(old)).map_err(unjournalled)?;
                return Ok(Ok(()));
            }
            None => self.journal.intend(step, undo(old)).map_err(unjournalled)?,
        }
        let written = self.tracefs.write_shared(file, value);
        // A refused write may change the file too: an event's filter is replaced by the text of the error.
        let shows = self.tracefs.read_shared(file).map_err(refusal(step, Call::Read))?;
        self.journal.done(step, State::Shows(shows)).map_err(unjournalled)?;
        drop(register);
        Ok(written)
    }

    /// Defines an event, after a journal entry with the definition. An event that exists belongs to another program:
    /// the kernel would add a probe to it.
    fn define(
        &mut self,
        step: usize,
        definition: &Definition,
    ) -> Result<Result<(), WriteFailure>, ApplyError> {
        let root = self.tracefs.root();
        let listed = || -> Result<String, ApplyError> {
            let listing = root.read_text(Definition::LIST).map_err(refusal(step, Call::Read))?;
            Ok(definition.listed(&listing))
        };
        if !listed()?.is_empty() {
            let event = definition.event().to_owned();
            return Err(ApplyError::EventTaken { step, event, residue: Vec::new() });
        }
        let undo = JournalledUndo::RemoveEvent { definition: definition.clone() };
        self.journal.intend(step, undo).map_err(unjournalled)?;
        let written = root.write(Definition::LIST, definition.as_str().as_bytes());
        // A refused definition leaves nothing: an event that is listed then was defined by another program meanwhile.
        let shows = if written.is_ok() { listed()? } else { String::new() };
        self.journal.done(step, State::Shows(shows)).map_err(unjournalled)?;
        Ok(written)
    }

    /// Loads a module, after a journal entry with its name and that of the session, which the module then shows. A module
    /// of that name that is loaded belongs to another program.
    fn load(&mut self, step: usize, module: &ModuleName, path: &str) -> Result<(), ApplyError> {
        if modules::build_id(module).map_err(refusal(step, Call::Read))?.is_some() {
            return Err(ApplyError::ModuleTaken { step, module: module.to_string(), residue: Vec::new() });
        }
        let session = modules::session_name().map_err(refusal(step, Call::Load))?;
        let undo = JournalledUndo::Unload { module: module.clone(), session: session.clone() };
        self.journal.intend(step, undo).map_err(unjournalled)?;
        let loaded = modules::load(path, &session);
        let shows = match loaded {
            Ok(()) => modules::build_id(module).map_err(refusal(step, Call::Read))?.unwrap_or_default(),
            // It leaves nothing: a module that is there then was loaded by another program meanwhile.
            Err(_) => State::REFUSED.to_owned(),
        };
        self.journal.done(step, State::Shows(shows)).map_err(unjournalled)?;
        loaded.map_err(|errno| match errno {
            Errno::EXIST => ApplyError::ModuleTaken { step, module: module.to_string(), residue: Vec::new() },
            errno => refusal(step, Call::Load)(errno),
        })
    }

    /// Undoes the steps before a failed one, and adds the kernel's message and the residue to the error.
    fn failed(&mut self, step: &Step, mut error: ApplyError) -> ApplyError {
        if let ApplyError::Refused { call: Call::Write, kernel, .. } = &mut error
            && let Some((file, value)) = step.action.written()
        {
            let log = if file.in_instance().is_some() { &self.instance } else { self.tracefs.root() };
            // The instance's log is removed with it, so it is read first. Without the log the errno is still reported.
            let log = log.read("error_log").ok();
            *kernel = log.and_then(|log| error_log::message_about(value, &String::from_utf8_lossy(&log)));
        }
        let left = self.take_away();
        error.with_residue(left)
    }

    /// Undoes the session and removes its journal, once.
    fn take_away(&mut self) -> Vec<Residue> {
        if std::mem::replace(&mut self.is_undone, true) {
            return Vec::new();
        }
        undo::undo_own(self.tracefs, &self.name, &self.journal)
    }

    /// Leaves all changes in force, as a kill does.
    #[cfg(test)]
    pub(super) fn abandon(mut self) {
        self.is_undone = true;
    }
}

impl Drop for Applied<'_> {
    fn drop(&mut self) {
        // There is no caller to return errors to; the journal keeps the residue.
        self.take_away();
    }
}
