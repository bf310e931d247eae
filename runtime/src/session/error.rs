//! What can go wrong with a session, and what may be left of it.

use std::fmt;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use tracec_kernel::format::FormatError;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::page::PageError;

use crate::tracefs::TracefsError;

/// Something that a session made or changed and could not put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residue {
    /// What is left.
    pub path: PathBuf,
    /// Why.
    pub cause: Cause,
}

/// Why something could not be put back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A system call failed: EBUSY means that another process keeps a file of the instance open, or uses an event that the
    /// session defined. `recover` tries again.
    System(Errno),
    /// The file does not hold what the session wrote, or the event is defined otherwise. Somebody else has changed it, so it was
    /// left.
    Overwritten {
        /// What it holds.
        holds: String,
    },
    /// The kernel took the old value, and the file shows another one.
    NotRestored {
        /// What it holds.
        holds: String,
        /// What it held before the session.
        old: String,
    },
}

impl Residue {
    pub(crate) fn new(path: PathBuf, errno: Errno) -> Self {
        Residue { path, cause: Cause::System(errno) }
    }
}

impl fmt::Display for Residue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.cause {
            Cause::System(errno) => write!(f, "{path} is left behind: {errno}"),
            Cause::Overwritten { holds } => {
                write!(
                    f,
                    "{path} is left as it is: it holds `{}`, which the session did not write",
                    holds.escape_debug()
                )
            }
            Cause::NotRestored { holds, old } => {
                let (holds, old) = (holds.escape_debug(), old.escape_debug());
                write!(f, "{path} is not as before: it holds `{holds}`, and held `{old}`")
            }
        }
    }
}

/// What the kernel wrote into `error_log` about a refused command (kernel/trace/trace.c, `tracing_log_err`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMessage {
    /// The message, without its location: `Field not found`.
    pub text: String,
    /// The command it is about.
    pub command: String,
    /// The place in the command that it points at, a byte offset. Often one past the word that is meant.
    pub caret: Option<usize>,
}

/// The system call of a step that was refused.
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

/// Why a plan could not be applied. Nothing of it is in force then; what rolling back left is in `residue`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// The tracefs cannot be used.
    #[error(transparent)]
    Tracefs(#[from] TracefsError),
    /// No journal could be kept, so nothing was done.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// An instance of this name exists. It was not touched.
    #[error("there is a trace instance `{name}` already; it was not touched")]
    InstanceTaken {
        /// The name.
        name: String,
    },
    /// An event that a step defines exists. It was not touched.
    #[error("there is an event `{event}` already; it was not touched")]
    EventTaken {
        /// The index of the step.
        step: usize,
        /// The event, `GROUP/EVENT`.
        event: String,
        /// What rolling back left.
        residue: Vec<Residue>,
    },
    /// The kernel refused a step.
    #[error("the kernel refused step {step} of the plan: {errno}")]
    Refused {
        /// The index of the step.
        step: usize,
        /// The system call that failed.
        call: Call,
        /// Its error. From a filter's parser it may be misleading; `kernel` tells more.
        errno: Errno,
        /// The kernel's own words.
        kernel: Option<KernelMessage>,
        /// What rolling back left.
        residue: Vec<Residue>,
    },
    /// The kernel took only a part of a value.
    #[error("the kernel took {} of {} bytes of step {step} of the plan", Grouped(written), Grouped(length))]
    ShortWrite {
        /// The index of the step.
        step: usize,
        /// Bytes taken.
        written: usize,
        /// Bytes given.
        length: usize,
        /// What rolling back left.
        residue: Vec<Residue>,
    },
    /// The instance was created and then could not be entered or its journal not be written.
    #[error("the new instance could not be used: {reason}")]
    Abandoned {
        /// What went wrong.
        reason: String,
        /// What rolling back left.
        residue: Vec<Residue>,
    },
}

impl ApplyError {
    /// What rolling back left.
    pub fn residue(&self) -> &[Residue] {
        match self {
            ApplyError::EventTaken { residue, .. }
            | ApplyError::Refused { residue, .. }
            | ApplyError::ShortWrite { residue, .. }
            | ApplyError::Abandoned { residue, .. } => residue,
            _ => &[],
        }
    }
}

/// Why the journal of a session could not be kept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JournalError {
    /// A journal of this name exists: another session lives, or was killed and waits for recovery.
    #[error("there is a journal {} already: its session lives, or was killed and waits for recovery", path.display())]
    Taken {
        /// The journal.
        path: PathBuf,
    },
    /// The file or its directory could not be made or written: no room (ENOSPC), a read-only file system (EROFS),
    /// no parent directory (ENOENT), and the like.
    #[error("cannot keep a journal in {}: {errno}", path.display())]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// The error.
        errno: Errno,
    },
}

/// What ended a session that had been applied, other than one of the ends that are meant to be.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command could not be started.
    #[error("cannot run `{program}`: {source}")]
    Command {
        /// The program.
        program: String,
        /// Why.
        source: io::Error,
    },
    /// The output could not be opened or written.
    #[error("cannot write {output}: {source}")]
    Output {
        /// What the output is called.
        output: String,
        /// Why.
        source: io::Error,
    },
    /// A ring buffer could not be read.
    #[error("cannot read the trace of cpu {cpu}: {errno}")]
    Read {
        /// The CPU.
        cpu: u32,
        /// Why.
        errno: Errno,
    },
    /// A ring buffer gave a page that makes no sense.
    #[error("the trace of cpu {cpu} is damaged: {source}")]
    Page {
        /// The CPU.
        cpu: u32,
        /// What is wrong with it.
        source: PageError,
    },
    /// The kernel's description of its ring-buffer pages makes no sense.
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
        /// Why.
        errno: Errno,
    },
    /// A system call that should not fail did.
    #[error("{call}: {errno}")]
    System {
        /// The system call.
        call: &'static str,
        /// Why.
        errno: Errno,
    },
}

/// Why a session failed. Everything it did is undone, but for the residue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// It could not be applied.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// It failed before it was applied, or while it ran.
    #[error("{failure}")]
    Failed {
        /// What failed.
        failure: Failure,
        /// What could not be put back.
        residue: Vec<Residue>,
    },
}

impl RunError {
    /// What could not be put back.
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

/// Something of a session could not be put back. Its journal stays where `recover` may put back more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not everything could be put back")]
pub struct UndoError {
    /// What is left.
    pub residue: Vec<Residue>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residue_names_the_file_and_the_cause() {
        let text = |cause| Residue { path: "/t/buffer_percent".into(), cause }.to_string();
        let (holds, old) = ("7".to_owned(), "50\n".to_owned());
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
