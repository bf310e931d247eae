//! The life of a session: its plan applied as a transaction, its records streamed, its state put back.

mod apply;
#[expect(
    clippy::disallowed_types,
    unsafe_code,
    reason = "starts the command of a session, and holds it between fork and exec"
)]
mod command;
mod error;
mod error_log;
#[expect(clippy::disallowed_methods, clippy::disallowed_types, reason = "journals are files below /run")]
mod journal;
mod recover;
#[expect(unsafe_code, reason = "signal masks and signalfd are libc's")]
mod signals;
mod supervise;
#[cfg(test)]
mod tests;
mod timer;
mod undo;
mod wakeups;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

pub use apply::{Applied, apply};
pub use error::{
    ApplyError, Call, Cause, Failure, JournalError, KernelMessage, Residue, RunError, UndoError,
};
pub use recover::{Outcome, RecoverError, Recovered, recover};
pub use supervise::run;

use crate::sink::Output;

/// Where journals are kept unless told otherwise: gone after a reboot, like what they speak of.
pub const DEFAULT_RUNTIME_DIR: &str = "/run/tracec";

/// How a session is run.
pub struct RunOptions {
    /// The directory for the journal; it is created if its parent exists. See [`DEFAULT_RUNTIME_DIR`].
    pub runtime_dir: PathBuf,
    /// A program and its arguments, started once everything is armed; its end ends the session.
    pub command: Option<Vec<OsString>>,
    /// Where records go. The plan's own `output` is not looked at.
    pub output: Output,
    /// Whether to show a status line if standard error is a terminal.
    pub status: bool,
}

impl RunOptions {
    /// Options with the default runtime directory, no command and no status line.
    pub fn new(output: Output) -> Self {
        let runtime_dir = Path::new(DEFAULT_RUNTIME_DIR).to_owned();
        RunOptions { runtime_dir, command: None, output, status: false }
    }
}

/// Why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Its `stop after` was over.
    StopAfter,
    /// A signal came: SIGINT, SIGTERM, SIGHUP or SIGQUIT, by number.
    Signal(i32),
    /// Its command ended.
    CommandExited(ExitStatus),
    /// The reader of its output went away.
    OutputClosed,
}

/// How a session went.
#[derive(Clone, Debug)]
pub struct Summary {
    /// Records given to the sink.
    pub records: u64,
    /// Records that the host's conditions have dropped; `None` if the plan leaves nothing to the host.
    pub dropped: Option<u64>,
    /// Records lost on each CPU that lost some.
    pub lost: Vec<(u32, u64)>,
    /// Records of events that the plan has no layout for. Others may write into any instance (`trace_marker`).
    pub unknown: u64,
    /// Why it ended.
    pub ended_by: Ended,
    /// From the moment recording was on to its end.
    pub elapsed: Duration,
    /// How the command ended, if it has.
    pub command_status: Option<ExitStatus>,
    /// The pid of the command if it still ran when all this was over. It goes on; nobody waits for it.
    pub command_running: Option<u32>,
    /// The output took all records. It may not when its reader stalls or leaves.
    pub output_complete: bool,
    /// What could not be put back; empty as a rule.
    pub residue: Vec<Residue>,
}
