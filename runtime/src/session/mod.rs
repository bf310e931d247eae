//! The life of a session: its plan is applied as a transaction, its records are streamed, and the transaction is
//! undone.

mod apply;
#[expect(clippy::disallowed_methods, reason = "looks for the state of a script below /run")]
mod clean;
mod collect;
#[expect(
    clippy::disallowed_types,
    unsafe_code,
    reason = "starts the command of a session, and holds it between fork and exec"
)]
mod command;
#[expect(unsafe_code, reason = "reads and sets dispositions of signals, also before `main`")]
mod dispositions;
mod drift;
mod dumps;
mod error;
mod error_log;
mod live;
mod newest;
#[expect(clippy::disallowed_methods, reason = "reads the link that names the PID namespace")]
mod own_name;
mod own_tasks;
mod pace;
mod priority;
mod processes;
#[expect(clippy::disallowed_types, reason = "starts a program that a session needs before it runs")]
mod program;
mod recover;
mod rounded;
#[expect(clippy::disallowed_methods, reason = "lists the threads of a process")]
mod scope;
#[expect(unsafe_code, reason = "makes system calls for signal masks and signalfd")]
mod signals;
mod source;
mod supervise;
mod switch;
#[cfg(test)]
mod tests;
mod timer;
mod undo;
#[expect(unsafe_code, reason = "asks for users and groups, and changes the user of a process")]
mod user;
mod wakeups;
mod watches;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

pub use crate::failure::{Cause, Failure, Residue};
pub use crate::journal::{DEFAULT_RUNTIME_DIR, Distrust, JournalError, JournalFileError};
pub use crate::record::layouts::Layouts;
pub use crate::record::{Covered, Dump};
pub use apply::{Applied, apply};
pub use clean::{Became, Leftover, clean};
pub use collect::{CollectError, Collected, collect};
pub use dumps::{DumpCause, Dumped};
pub use error::{ApplyError, Call, KernelMessage, RunError, UndoError};
pub use own_name::own_name;
pub use program::HeldBack;
pub use recover::{Outcome, RecoverError, Recovered, Recovery, recover, recover_instance};
pub use rounded::Rounded;
pub use scope::{NoTask, ScopeError};
pub use supervise::{run, run_controlled};
pub use undo::Undone;
pub use user::User;

use crate::record::{CompileFilter, Damaged};
use crate::sink::{FileCounts, Output};

/// Options of a run.
pub struct RunOptions {
    /// The directory for the journal; it is created if its parent exists. See [`DEFAULT_RUNTIME_DIR`].
    pub runtime_dir: PathBuf,
    /// A program and its arguments. It is executed once recording is on, and its end ends the session.
    pub command: Option<Vec<OsString>>,
    /// The user as whom the command runs: with its uid, its groups and its `HOME`. `None` for the user of this process.
    pub user: Option<User>,
    /// The destination of the records. The plan's own `output` is ignored.
    pub output: Output,
    /// The layouts with which its records are read.
    pub layouts: Layouts,
    /// Makes code of the host's conditions, in a thread of its own; the evaluator decides until it is there. `None`
    /// leaves them to the evaluator.
    pub compile: Option<CompileFilter>,
    /// Whether to show a status line if standard error is a terminal.
    pub status: bool,
}

impl RunOptions {
    /// Returns options with the default runtime directory, no command, layouts that are read anew, no code of
    /// conditions, and no status line.
    pub fn new(output: Output) -> Self {
        let runtime_dir = Path::new(DEFAULT_RUNTIME_DIR).to_owned();
        let layouts = Layouts::default();
        RunOptions { runtime_dir, command: None, user: None, output, layouts, compile: None, status: false }
    }
}

/// The reason why a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The time of its `stop after` has passed.
    StopAfter,
    /// A signal arrived, by number.
    Signal(i32),
    /// An event came that it waited for, by the index of the [`Watch`](tracec_kernel::plan::Watch).
    Event(usize),
    /// A process of its `stop with process` ended, by its id.
    Process(u32),
    /// Its command ended.
    CommandExited(ExitStatus),
    /// The reader of its output closed its end.
    OutputClosed,
    /// A client of its control asked for it.
    Stopped,
    /// Nobody confirmed it in time.
    Unconfirmed,
    /// The process that started it had ended before it was armed.
    Unattended,
}

/// What a session with a ring has kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kept {
    /// Records that newer ones have replaced, since the last dump if there was one.
    pub overwritten: u64,
    /// Whether there was a dump, which has what was kept before it.
    pub since_dump: bool,
    /// The time up to the end that the rings of all CPUs cover; `None` if nothing was overwritten, or the clock does not
    /// count time.
    pub covered: Option<Duration>,
}

/// The result of a session.
#[derive(Clone, Debug)]
pub struct Summary {
    /// What its ring has kept; `None` for a session that streams.
    pub kept: Option<Kept>,
    /// What its dumps have come to; `None` for a session without.
    pub dumps: Option<Dumped>,
    /// Records given to the sink.
    pub records: u64,
    /// The files of an output that is rotated.
    pub files: Option<FileCounts>,
    /// Records that were read and not written, if the output did not accept all. They are counted by whole readings of
    /// the rings: of the one in which the output stalled, a part may be written. The host's conditions might have
    /// dropped some of them.
    pub unwritten: u64,
    /// Records that the host's conditions have dropped; `None` if the plan leaves nothing to the host.
    pub dropped: Option<u64>,
    /// The reason why the host's conditions were evaluated without code, if [`RunOptions::compile`] gave none.
    pub without_code: Option<String>,
    /// Records lost on each CPU that lost some.
    pub lost: Vec<(u32, u64)>,
    /// Records lost of each event that lost some, where programs record: tracefs does not count them by event.
    pub lost_events: Vec<(String, u64)>,
    /// How many times the kernel did not run the program of an event, because another ran on that CPU; of each that missed
    /// some.
    pub missed: Vec<(String, u64)>,
    /// The pages of its rings that could not be read. Their records are lost.
    pub damaged: Vec<Damaged>,
    /// Records of events that the plan has no layout for. Other programs may write into any instance (`trace_marker`).
    pub unknown: u64,
    /// The reason why it ended.
    pub ended_by: Ended,
    /// The time for which recording was on.
    pub elapsed: Duration,
    /// The status of the command, if it has ended.
    pub command_status: Option<ExitStatus>,
    /// The pid of the command if it still runs after the session. It continues, and is not waited for.
    pub command_running: Option<u32>,
    /// Whether the instance did not record when the session ended: a `traceoff` trigger had met its condition, a `traceon`
    /// trigger never did, or another program had switched it off.
    pub was_off: bool,
    /// The sizes that the kernel has made others of.
    pub rounded: Vec<Rounded>,
    /// Whether a client of its control emptied its ring: it has kept nothing from before.
    pub was_cleared: bool,
    /// Whether the output accepted all records. It may not if its reader stalls or closes its end.
    pub output_complete: bool,
    /// The things that could not be put back; usually empty.
    pub residue: Vec<Residue>,
}
