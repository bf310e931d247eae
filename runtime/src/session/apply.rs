//! A plan carried out, step by step, as one transaction.

use std::path::Path;

use rustix::io::Errno;
use tracec_kernel::plan::{InstanceName, Location, Step, Transaction};

use super::error::{ApplyError, Call, Residue, UndoError};
use super::error_log;
use super::journal::Journal;
use super::undo;
use crate::tracefs::{Directory, Tracefs, TracefsError, WriteFailure};

/// A transaction in force. Dropping it undoes it, also in a panic; [`Applied::undo`] does the same and tells how it went.
#[derive(Debug)]
pub struct Applied<'t> {
    tracefs: &'t Tracefs,
    instance: Directory,
    name: InstanceName,
    inode: u64,
    /// Taken by the undo.
    journal: Option<Journal>,
}

/// Carries out a transaction: all of it, or nothing.
///
/// A journal in `runtime_dir` says how to undo it before anything is changed, so that [`recover`](super::recover) can
/// undo what a killed process left.
///
/// # Errors
/// [`ApplyError`]. Whatever had been done is undone before it is returned.
pub fn apply<'t>(
    tracefs: &'t Tracefs,
    transaction: &Transaction,
    runtime_dir: &Path,
) -> Result<Applied<'t>, ApplyError> {
    if !tracefs.is_tracefs() {
        return Err(TracefsError::NotATracefs { path: tracefs.path().to_owned() }.into());
    }
    let applied = create(tracefs, transaction, runtime_dir)?;
    // The first step created the instance.
    for (index, step) in transaction.steps().iter().enumerate().skip(1) {
        if let Err(failure) = carry_out(&applied.instance, step) {
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
    // A journal must not speak of an instance that was there before, not even for a moment.
    if tracefs.instance_inode(name).map_err(failed)?.is_some() {
        return Err(taken());
    }
    let mut journal = Journal::create(runtime_dir, transaction, tracefs.path())?;
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
    let entered = enter(tracefs, name, &mut journal);
    match entered {
        Ok((instance, inode)) => {
            Ok(Applied { tracefs, instance, name: name.clone(), inode, journal: Some(journal) })
        }
        Err(reason) => {
            let residue = undo::remove_new_instance(tracefs, name, journal);
            Err(ApplyError::Abandoned { reason, residue })
        }
    }
}

fn enter(tracefs: &Tracefs, name: &InstanceName, journal: &mut Journal) -> Result<(Directory, u64), String> {
    let instance = tracefs.open_instance(name).map_err(|error| error.to_string())?;
    let inode = rustix::fs::fstat(instance.fd()).map_err(|errno| errno.to_string())?.st_ino;
    journal.record_instance(inode).map_err(|error| error.to_string())?;
    Ok((instance, inode))
}

fn carry_out(instance: &Directory, step: &Step) -> Result<(), WriteFailure> {
    match step.action.written() {
        Some((Location::Instance(file), value)) => instance.write(file.as_str(), value.as_bytes()),
        // Undo of a shared file is not there yet, so nothing is written to one.
        Some((Location::Top(_), _)) => Err(WriteFailure::Open(Errno::NOTSUP)),
        None => Ok(()),
    }
}

impl Applied<'_> {
    /// The instance's name.
    pub fn instance(&self) -> &InstanceName {
        &self.name
    }

    pub(super) fn directory(&self) -> &Directory {
        &self.instance
    }

    /// Undoes the plan. Every file of the instance that this process has open must be closed before.
    ///
    /// # Errors
    /// [`UndoError`] with what is left.
    pub fn undo(mut self) -> Result<(), UndoError> {
        let residue = self.take_away();
        if residue.is_empty() { Ok(()) } else { Err(UndoError { residue }) }
    }

    fn refused(mut self, index: usize, step: &Step, failure: WriteFailure) -> ApplyError {
        let value = step.action.written().map_or("", |(_, value)| value);
        // The log goes with the instance: read it first.
        let log = matches!(failure, WriteFailure::Write(_)).then(|| self.instance.read("error_log"));
        let residue = self.take_away();
        // Without the log the errno still stands.
        let kernel = log
            .and_then(Result::ok)
            .and_then(|log| error_log::message_about(value, &String::from_utf8_lossy(&log)));
        let (call, errno) = match failure {
            WriteFailure::Open(errno) => (Call::Open, errno),
            WriteFailure::Write(errno) => (Call::Write, errno),
            WriteFailure::Short(written) => {
                return ApplyError::ShortWrite { step: index, written, length: value.len(), residue };
            }
        };
        ApplyError::Refused { step: index, call, errno, kernel, residue }
    }

    /// Takes the instance and the journal away, once.
    fn take_away(&mut self) -> Vec<Residue> {
        match self.journal.take() {
            Some(journal) => undo::remove_instance(self.tracefs, &self.name, self.inode, journal),
            None => Vec::new(),
        }
    }
}

impl Drop for Applied<'_> {
    fn drop(&mut self) {
        // Nobody is there to be told; what is left stays in the journal.
        self.take_away();
    }
}
