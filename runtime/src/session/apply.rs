//! Applies a plan step by step as one transaction.

use std::path::Path;

use rustix::io::Errno;
use tracec_kernel::plan::{Action, Definition, InstanceName, Location, Step, Transaction};

use super::error::{ApplyError, Call, JournalError, Residue, UndoError};
use super::error_log;
use super::journal::{Change, Journal};
use super::undo;
use crate::tracefs::{Directory, Tracefs, TracefsError, WriteFailure};

/// An applied transaction. Dropping it undoes it, also in a panic; [`Applied::undo`] also reports errors.
#[derive(Debug)]
pub struct Applied<'t> {
    tracefs: &'t Tracefs,
    instance: Directory,
    name: InstanceName,
    journal: Journal,
    is_undone: bool,
}

/// Applies a transaction completely, or not at all.
///
/// A journal in `runtime_dir` records the undo of each step before the step is done, so that
/// [`recover`](super::recover) can undo what a killed process left.
///
/// # Errors
/// [`ApplyError`]. All steps that were done are undone before it is returned.
pub fn apply<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
) -> Result<Applied<'t>, ApplyError> {
    if !tracefs.is_tracefs() {
        return Err(TracefsError::NotATracefs { path: tracefs.path().to_owned() }.into());
    }
    apply_to(tracefs, transaction, runtime_dir)
}

/// Applies a transaction to a directory that may be a copy of a tracefs.
pub(super) fn apply_to<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
) -> Result<Applied<'t>, ApplyError> {
    let mut applied = create(tracefs, transaction, runtime_dir)?;
    // Step 0, the creation of the instance, was done by `create`.
    for (index, step) in transaction.steps().iter().enumerate().skip(1) {
        if let Err(failure) = applied.carry_out(index, step) {
            return Err(applied.refused(index, step, failure));
        }
    }
    Ok(applied)
}

fn create<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
) -> Result<Applied<'t>, ApplyError> {
    let name = transaction.instance();
    let taken = || ApplyError::InstanceTaken { name: name.to_string() };
    let failed = |errno| TracefsError::from_errno(&tracefs.instance_path(name), errno);
    // A journal must not name an instance that existed before, not even for a moment.
    if tracefs.instance_inode(name).map_err(failed)?.is_some() {
        return Err(taken());
    }
    let mut journal = Journal::create(runtime_dir, name, tracefs.path())?;
    if let Err(errno) = tracefs.make_instance(name) {
        journal.remove()?;
        return Err(match errno {
            Errno::EXIST => taken(),
            Errno::PERM | Errno::ACCESS | Errno::ROFS => failed(errno).into(),
            errno => {
                let (call, kernel, residue) = (Call::MakeDirectory, None, Vec::new());
                ApplyError::Refused { step: 0, call, errno, kernel, residue }
            }
        });
    }
    match enter(tracefs, name, &mut journal) {
        Ok(instance) => Ok(Applied { tracefs, instance, name: name.clone(), journal, is_undone: false }),
        Err(reason) => {
            let residue = undo::remove_new_instance(tracefs, name, &journal);
            Err(ApplyError::Abandoned { reason, residue })
        }
    }
}

fn enter(tracefs: &Tracefs, name: &InstanceName, journal: &mut Journal) -> Result<Directory, String> {
    let instance = tracefs.open_instance(name).map_err(|error| error.to_string())?;
    let inode = rustix::fs::fstat(instance.fd()).map_err(|errno| errno.to_string())?.st_ino;
    journal.created(inode).map_err(|error| error.to_string())?;
    Ok(instance)
}

/// The reason why a step could not be done.
enum StepFailure {
    /// An event of the name exists.
    Taken(String),
    Read(Errno),
    Write(WriteFailure),
    Journal(JournalError),
}

impl Applied<'_> {
    /// Returns the instance's name.
    pub fn instance(&self) -> &InstanceName {
        &self.name
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.instance
    }

    /// Undoes the transaction. Every file of the instance that this process has open must be closed before.
    ///
    /// # Errors
    /// [`UndoError`] with the residue.
    pub fn undo(mut self) -> Result<(), UndoError> {
        let residue = self.take_away();
        if residue.is_empty() { Ok(()) } else { Err(UndoError { residue }) }
    }

    fn carry_out(&mut self, index: usize, step: &Step) -> Result<(), StepFailure> {
        match &step.action {
            // Done by `create`.
            Action::Create => Ok(()),
            Action::Write { file, value } | Action::Append { file, value } => match file {
                // The transaction has checked that this step is undone with the instance.
                Location::Instance(path) => {
                    self.instance.write(path.as_str(), value.as_bytes()).map_err(StepFailure::Write)
                }
                Location::Top(_) | Location::Sysctl(_) => self.change_shared(index, file, value),
            },
            Action::Define(definition) => self.define(index, definition),
        }
    }

    /// Writes to a file that the session does not own, after a journal entry with the old value.
    fn change_shared(&mut self, step: usize, file: &Location, value: &str) -> Result<(), StepFailure> {
        let old = self.tracefs.read_shared(file).map_err(StepFailure::Read)?;
        let change = Change { step, file: file.clone(), value: value.to_owned(), old };
        self.journal.intend(change).map_err(StepFailure::Journal)?;
        let written = self.tracefs.write_shared(file, value);
        // A refused write may change the file too: an event's filter is replaced by the text of the error.
        let shows = self.tracefs.read_shared(file).map_err(StepFailure::Read)?;
        self.journal.changed(step, shows).map_err(StepFailure::Journal)?;
        written.map_err(StepFailure::Write)
    }

    /// Defines an event, after a journal entry with the definition. An event that exists belongs to another program:
    /// the kernel would add a probe to it.
    fn define(&mut self, step: usize, definition: &Definition) -> Result<(), StepFailure> {
        let root = self.tracefs.root();
        let listed = || -> Result<String, StepFailure> {
            let listing = root.read_text(Definition::LIST).map_err(StepFailure::Read)?;
            Ok(definition.listed(&listing))
        };
        if !listed()?.is_empty() {
            return Err(StepFailure::Taken(definition.event().to_owned()));
        }
        self.journal.intend_event(step, definition.clone()).map_err(StepFailure::Journal)?;
        let written = root.write(Definition::LIST, definition.as_str().as_bytes());
        // A refused definition leaves nothing: an event that is listed then was defined by another program meanwhile.
        let shows = if written.is_ok() { listed()? } else { String::new() };
        self.journal.changed(step, shows).map_err(StepFailure::Journal)?;
        written.map_err(StepFailure::Write)
    }

    fn refused(mut self, index: usize, step: &Step, failure: StepFailure) -> ApplyError {
        let (log, value) = match step.action.written() {
            Some((Location::Instance(_), value)) => (&self.instance, value),
            Some((_, value)) => (self.tracefs.root(), value),
            None => (&self.instance, ""),
        };
        // The instance's log is removed with it, so it is read first. Without the log the errno is still reported.
        let kernel = matches!(failure, StepFailure::Write(WriteFailure::Write(_)))
            .then(|| log.read("error_log").ok())
            .flatten()
            .and_then(|log| error_log::message_about(value, &String::from_utf8_lossy(&log)));
        let residue = self.take_away();
        let (call, errno) = match failure {
            StepFailure::Taken(event) => {
                return ApplyError::EventTaken { step: index, event, residue };
            }
            StepFailure::Read(errno) => (Call::Read, errno),
            StepFailure::Write(WriteFailure::Open(errno)) => (Call::Open, errno),
            StepFailure::Write(WriteFailure::Write(errno)) => (Call::Write, errno),
            StepFailure::Write(WriteFailure::Short(written)) => {
                return ApplyError::ShortWrite { step: index, written, length: value.len(), residue };
            }
            StepFailure::Journal(error) => {
                return ApplyError::Abandoned { reason: error.to_string(), residue };
            }
        };
        ApplyError::Refused { step: index, call, errno, kernel, residue }
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
