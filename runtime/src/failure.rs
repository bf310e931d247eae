//! The failures of a session while it runs, and the residue that it may leave: for the modules that read records and
//! write output, and for `session` above them.

use std::fmt;
use std::io;
use std::path::PathBuf;

use rustix::io::Errno;
use tracec_kernel::condition::rebind::RebindError;
use tracec_kernel::format::FormatError;
use tracec_kernel::page::PageError;
use tracec_kernel::plan::Span;
use tracec_kernel::selection::SelectionError;

use crate::errno::errno_of;
use crate::journal::JournalFileError;
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
    /// A system call failed: EBUSY means that another process keeps a file of the instance open, or uses an event that
    /// the session defined. `recover` tries again.
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
    /// The instance of the session's name was created by another program, or the module loaded by one.
    Foreign,
    /// The journal does not say which instance the session created, so that it is unknown who created this one.
    /// [`recover_instance`](crate::session::recover_instance) removes it.
    UnknownInstance,
}

impl Residue {
    pub(crate) fn new(path: PathBuf, errno: Errno) -> Self {
        Residue { path, cause: Cause::System(errno) }
    }

    /// Returns whether a later recovery may put it back: the journal is kept for it. What another program has changed is
    /// its own.
    pub fn is_open(&self) -> bool {
        matches!(self.cause, Cause::System(_) | Cause::UnknownInstance)
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

impl From<JournalFileError> for Residue {
    fn from(error: JournalFileError) -> Self {
        match error {
            JournalFileError::Io { path, errno } | JournalFileError::NoBootId { path, errno } => {
                Residue::new(path, errno)
            }
            JournalFileError::Distrusted { path, .. } => Residue::new(path, Errno::ACCESS),
        }
    }
}

/// An error that ended an applied session.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// BPF programs could not be loaded, attached or read.
    #[error("{reason}")]
    Programs {
        /// The clause of the program; `None` if it concerns them all.
        origin: Option<Span>,
        /// Why.
        reason: String,
        /// The log of the verifier; empty where it has refused nothing.
        log: Vec<String>,
        /// Whether the program is a probe, which tracefs cannot record in its place.
        is_probe: bool,
    },
    /// The plan has no instance and no programs.
    #[error("nothing would record: the plan has no instance and no programs")]
    NothingRecords,
    /// A process that the session is to end with does not exist.
    #[error("there is no {task}")]
    NoProcess {
        /// The process: `process 7`.
        task: String,
        /// The clause.
        origin: Span,
    },
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
    /// The output took records, and then no more.
    #[error("cannot write {output}: {source}")]
    Full {
        /// The name of the output.
        output: String,
        /// The error.
        source: io::Error,
        /// How many records it had taken when it was last whole.
        records: u64,
        /// How many files it was begun in: more than one if it is rotated.
        files: u64,
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
    /// The kernel's description of its ring-buffer pages, or of an event, is malformed.
    #[error("{path} cannot be understood: {source}")]
    Layout {
        /// The file, below the tracefs.
        path: String,
        /// The error.
        source: FormatError,
    },
    /// A condition of the plan has another meaning with the running kernel's layout of its event.
    #[error("`{event}` has another layout on the running kernel: {source}")]
    OtherLayout {
        /// The event, `system:name`.
        event: String,
        /// The span of the condition.
        origin: Span,
        /// The difference.
        source: RebindError,
    },
    /// A field that the plan hides is not in the running kernel's layout of its event.
    #[error(
        "`{event}` has no field `{field}` on the running kernel, and the session hides it: its value may have another name"
    )]
    HiddenField {
        /// The event, `system:name`.
        event: String,
        /// The field.
        field: String,
    },
    /// The conditions of the plan cannot be decided by the records of the running kernel.
    #[error(transparent)]
    Selection(#[from] SelectionError),
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
    /// Returns the failure of programs about which the verifier has nothing to say, at a clause or of them all.
    pub(crate) fn of_programs(origin: Option<Span>, reason: impl Into<String>) -> Failure {
        Failure::Programs { origin, reason: reason.into(), log: Vec::new(), is_probe: false }
    }

    /// Returns a function that makes the error of a system call.
    pub(crate) fn system<E: Into<io::Error>>(call: &'static str) -> impl Fn(E) -> Failure {
        move |error| Failure::System { call, errno: errno_of(&error.into()) }
    }
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
