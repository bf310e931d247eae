//! Errors of a session.

use rustix::io::Errno;
use tracec_kernel::grouped::Grouped;

use super::scope::ScopeError;
use crate::failure::{Failure, Residue};
use crate::journal::JournalError;
use crate::tracefs::TracefsError;

/// An entry of `error_log` about a refused command (kernel/trace/trace.c, `tracing_log_err`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMessage {
    /// The message, without its location: `Field not found`.
    pub text: String,
    /// The command.
    pub command: String,
    /// The byte offset in the command that the caret points at. Often one past the word that is wrong.
    pub caret: Option<usize>,
}

/// The system call of a refused step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `mkdir` of the instance.
    MakeDirectory,
    /// Reading a shared control file, before or after it is written.
    Read,
    /// Opening the control file.
    Open,
    /// Writing the value.
    Write,
    /// Loading the module.
    Load,
    /// Locking and reading the journals of other sessions, which own shared values.
    Register,
}

/// The reason why a plan could not be applied. No step is in force then, except for the `residue` of the rollback.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// tracefs cannot be used.
    #[error(transparent)]
    Tracefs(#[from] TracefsError),
    /// The journal could not be written, so nothing was done.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The signals that end a session could not be blocked, so nothing was done.
    #[error("signals cannot be blocked: {errno}")]
    Signals {
        /// The error number.
        errno: Errno,
    },
    /// An instance of this name exists. It was not changed.
    #[error("there is a trace instance `{name}` already; it was not touched")]
    InstanceTaken {
        /// The name.
        name: String,
    },
    /// An event that a step defines exists. It was not changed.
    #[error("there is an event `{event}` already; it was not touched")]
    EventTaken {
        /// The index of the step.
        step: usize,
        /// The event, `GROUP/EVENT`.
        event: String,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// A module of the name of the one that a step loads is loaded. It was not changed.
    #[error("a module `{module}` is loaded already; it was not touched")]
    ModuleTaken {
        /// The index of the step.
        step: usize,
        /// Its name.
        module: String,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// The ids of tracec's own tasks could not be found, so that they cannot be left out.
    #[error("tracec's own tasks cannot be left out: {reason}")]
    OwnTasks {
        /// The error.
        reason: String,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// A shared value could not be put back. It was not changed.
    #[error("`{file}` was not touched: {reason}")]
    Unrestorable {
        /// The index of the step.
        step: usize,
        /// The file.
        file: String,
        /// Why.
        reason: String,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// Another session has set a shared value otherwise. It was not changed.
    #[error("the session of the instance `{instance}` has set `{file}` to `{value}`; it was not touched")]
    ValueTaken {
        /// The index of the step.
        step: usize,
        /// The file.
        file: String,
        /// The instance of the other session.
        instance: String,
        /// The value.
        value: String,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// The session cannot be limited to the tasks of its scope.
    #[error("{error}")]
    Scope {
        /// The index of the step.
        step: usize,
        /// The reason.
        error: ScopeError,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// The kernel refused a step.
    #[error("the kernel refused step {step} of the plan: {errno}")]
    Refused {
        /// The index of the step.
        step: usize,
        /// The system call that failed.
        call: Call,
        /// Its error number. From a filter's parser it may be misleading; `kernel` is more exact.
        errno: Errno,
        /// The kernel's message.
        kernel: Option<KernelMessage>,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// The kernel took only a part of a value.
    #[error("the kernel took {} of {} bytes of step {step} of the plan", Grouped(written), Grouped(length))]
    ShortWrite {
        /// The index of the step.
        step: usize,
        /// The number of bytes that were accepted.
        written: usize,
        /// The number of bytes that were written.
        length: usize,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
    /// The instance was created, but could not be opened, or its journal could not be written.
    #[error("the new instance could not be used: {reason}")]
    Abandoned {
        /// The error.
        reason: String,
        /// The residue of the rollback.
        residue: Vec<Residue>,
    },
}

impl ApplyError {
    /// Returns the residue of the rollback.
    pub fn residue(&self) -> &[Residue] {
        match self {
            ApplyError::EventTaken { residue, .. }
            | ApplyError::ModuleTaken { residue, .. }
            | ApplyError::OwnTasks { residue, .. }
            | ApplyError::Scope { residue, .. }
            | ApplyError::ValueTaken { residue, .. }
            | ApplyError::Unrestorable { residue, .. }
            | ApplyError::Refused { residue, .. }
            | ApplyError::ShortWrite { residue, .. }
            | ApplyError::Abandoned { residue, .. } => residue,
            _ => &[],
        }
    }

    /// Sets the residue of the rollback.
    pub(super) fn with_residue(mut self, left: Vec<Residue>) -> Self {
        match &mut self {
            ApplyError::EventTaken { residue, .. }
            | ApplyError::ModuleTaken { residue, .. }
            | ApplyError::OwnTasks { residue, .. }
            | ApplyError::Scope { residue, .. }
            | ApplyError::ValueTaken { residue, .. }
            | ApplyError::Unrestorable { residue, .. }
            | ApplyError::Refused { residue, .. }
            | ApplyError::ShortWrite { residue, .. }
            | ApplyError::Abandoned { residue, .. } => *residue = left,
            ApplyError::Tracefs(_)
            | ApplyError::Journal(_)
            | ApplyError::Signals { .. }
            | ApplyError::InstanceTaken { .. } => {}
        }
        self
    }
}

/// The reason why a session failed. All its changes are undone, except for the residue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The plan could not be applied.
    #[error("{error}")]
    Apply {
        /// The error.
        error: ApplyError,
        /// The index of the watch whose transaction it is; `None` for the session's own.
        watch: Option<usize>,
        /// What could not be put back: the residue of the error, and an output that could not be removed.
        residue: Vec<Residue>,
    },
    /// The session failed before it was applied, or while it ran.
    #[error("{failure}")]
    Failed {
        /// The error.
        failure: Failure,
        /// The things that could not be put back.
        residue: Vec<Residue>,
    },
}

impl RunError {
    /// Returns the error of what a session waits for.
    pub(super) fn of_watch(error: ApplyError, watch: usize) -> Self {
        let residue = error.residue().to_vec();
        RunError::Apply { error, watch: Some(watch), residue }
    }

    /// Adds things that could not be put back.
    pub(super) fn with_residue(mut self, left: Vec<Residue>) -> Self {
        match &mut self {
            RunError::Apply { residue, .. } | RunError::Failed { residue, .. } => residue.extend(left),
        }
        self
    }

    /// Returns the things that could not be put back.
    pub fn residue(&self) -> &[Residue] {
        match self {
            RunError::Apply { residue, .. } | RunError::Failed { residue, .. } => residue,
        }
    }
}

impl From<ApplyError> for RunError {
    fn from(error: ApplyError) -> Self {
        let residue = error.residue().to_vec();
        RunError::Apply { error, watch: None, residue }
    }
}

impl From<Failure> for RunError {
    fn from(failure: Failure) -> Self {
        RunError::Failed { failure, residue: Vec::new() }
    }
}

/// An error for a session that could not be undone completely. Its journal is kept where `recover` may put back more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not everything could be put back")]
pub struct UndoError {
    /// The things that could not be put back.
    pub residue: Vec<Residue>,
}
