//! Errors of a session, and the residue that it may leave.

use std::fmt;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use tracec_kernel::format::FormatError;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::page::PageError;

use crate::errno_of;
use crate::journal::JournalError;
use crate::tracefs::TracefsError;

/// A thing that a session created or changed and could not put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    /// The file, directory or event.
    pub path: PathBuf,
    /// The reason.
    pub cause: Cause,
}

/// The reason why something could not be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A system call failed: EBUSY means that another process keeps a file of the instance open, or uses an event that the
    /// session defined. `recover` tries again.
    System(Errno),
    /// The file does not hold what the session wrote, or the event is defined otherwise. Another program has changed
    /// it, so it was left unchanged.
    Overwritten {
        /// Its value now.
        holds: String,
    },
    /// The file holds neither its old value nor the one that the session was about to write. The journal does not say
    /// what it held after the write, so that it is unknown who wrote this.
    Unconfirmed {
        /// Its value now.
        holds: String,
        /// The value that the session was about to write.
        value: String,
    },
    /// The kernel accepted the old value, but the file shows another one.
    NotRestored {
        /// Its value now.
        holds: String,
        /// Its value before the session.
        old: String,
    },
    /// The instance of the session's name was created by another program.
    Foreign,
    /// The journal does not say which instance the session created, so that it is unknown who created this one.
    UnknownInstance,
}

impl Residue {
    pub(crate) fn new(path: PathBuf, errno: Errno) -> Self {
        Residue { path, cause: Cause::System(errno) }
    }
}

impl fmt::Display for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        let left = "is left as it is";
        match &self.cause {
            Cause::System(errno) => write!(f, "{path} is left behind: {errno}"),
            Cause::Overwritten { holds } => {
                let holds = holds.escape_debug();
                write!(f, "{path} {left}: it holds `{holds}`, which the session did not write")
            }
            Cause::Unconfirmed { holds, value } => {
                let (holds, value) = (holds.escape_debug(), value.escape_debug());
                write!(
                    f,
                    "{path} {left}: it holds `{holds}`; the session was about to write `{value}`, and the journal "
                )?;
                f.write_str("does not say what the file held then")
            }
            Cause::NotRestored { holds, old } => {
                let (holds, old) = (holds.escape_debug(), old.escape_debug());
                write!(f, "{path} is not as before: it holds `{holds}`, and held `{old}`")
            }
            Cause::Foreign => write!(f, "{path} {left}: the session did not create it"),
            Cause::UnknownInstance => {
                write!(f, "{path} {left}: the journal does not say whether the session created it")
            }
        }
    }
}

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
            | ApplyError::Refused { residue, .. }
            | ApplyError::ShortWrite { residue, .. }
            | ApplyError::Abandoned { residue, .. } => *residue = left,
            ApplyError::Tracefs(_) | ApplyError::Journal(_) | ApplyError::InstanceTaken { .. } => {}
        }
        self
    }
}

impl From<JournalError> for Residue {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Taken { path } => Residue::new(path, Errno::EXIST),
            JournalError::Io { path, errno } => Residue::new(path, errno),
        }
    }
}

/// An error that ended an applied session.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command could not be started.
    #[error("cannot run `{program}`: {source}")]
    Command {
        /// The error.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The output could not be opened or written.
    #[error("cannot write {output}: {source}")]
    Output {
        /// The name of the output.
        output: String,
        /// The error.
        source: io::Error,
    },
    /// A ring buffer could not be read.
    #[error("cannot read the trace of cpu {cpu}: {errno}")]
    Read {
        /// The CPU.
        cpu: u32,
        /// The error number.
        errno: Errno,
    },
    /// A page of a ring buffer is malformed.
    #[error("the trace of cpu {cpu} is damaged: {source}")]
    Page {
        /// The CPU.
        cpu: u32,
        /// The error.
        source: PageError,
    },
    /// The kernel's description of its ring-buffer pages is malformed.
    #[error("events/header_page cannot be understood: {0}")]
    Layout(FormatError),
    /// A control file could not be read.
    #[error(transparent)]
    Tracefs(#[from] TracefsError),
    /// A control file could not be written while the session ended.
    #[error("cannot write {}: {errno}", path.display())]
    Control {
        /// The file.
        path: PathBuf,
        /// The error number.
        errno: Errno,
    },
    /// Another system call failed.
    #[error("{call}: {errno}")]
    System {
        /// The system call.
        call: &'static str,
        /// The error number.
        errno: Errno,
    },
}

impl Failure {
    /// Returns a function that makes the error of a system call.
    pub(crate) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Failure {
        move |error| Failure::System { call, errno: errno_of(&error.into()) }
    }
}

/// The reason why a session failed. All its changes are undone, except for the residue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The plan could not be applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
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
    /// Returns the things that could not be put back.
    pub fn residue(&self) -> &[Residue] {
        match self {
            RunError::Apply(error) => error.residue(),
            RunError::Failed { residue, .. } => residue,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residue_names_the_file_and_the_cause() {
        let text = |cause| Residue { path: "/t/buffer_percent".into(), cause }.to_string();
        let (holds, old) = ("7".to_owned(), "50\n".to_owned());
        assert_eq!(
            text(Cause::Unconfirmed { holds: holds.clone(), value: "0".to_owned() }),
            "/t/buffer_percent is left as it is: it holds `7`; the session was about to write `0`, and the journal does \
             not say what the file held then"
        );
        assert!(text(Cause::System(Errno::BUSY)).starts_with("/t/buffer_percent is left behind: "));
        assert_eq!(
            text(Cause::Overwritten { holds: holds.clone() }),
            "/t/buffer_percent is left as it is: it holds `7`, which the session did not write"
        );
        assert_eq!(
            text(Cause::NotRestored { holds, old }),
            "/t/buffer_percent is not as before: it holds `7`, and held `50\\n`"
        );
    }
}
