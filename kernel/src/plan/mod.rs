//! A plan in two parts: the changes of a session ([`Transaction`]), and how its records are read ([`Reading`]).
//!
//! A plan is data. The compiler creates it, `tracec plan` prints it, and the runtime applies it. Apply, journal, undo
//! and recovery work from the transaction alone, readers of records from the reading alone.

mod checked;
mod definition;
mod display;
mod module_name;
mod path;
mod programs;
mod reading;
mod scope;
mod stated;
mod stored;
mod sysctl;
mod transaction;
mod version;
mod watch;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use definition::{Definition, InvalidDefinition};
pub use module_name::{InvalidModuleName, ModuleName};
pub use path::{FilePath, InstanceName, InvalidFilePath, InvalidInstanceName};
pub use programs::{Program, Programs};
pub use reading::{DEFAULT_QUEUE, HostCondition, Reading, ReadingError};
pub use scope::{NEW_TASKS, ScopedTasks, WithoutChildren};
pub use stored::InvalidPlan;
pub use sysctl::{Sysctl, UnknownSysctl};
pub use tracec_span::Span;
pub use transaction::{Action, Location, Step, Transaction, TransactionError, Undo};
pub use version::PlanVersion;
pub use watch::{DUMP_NUMBER, DumpFiles, Then, Watch};

/// An event that a set includes and that the session skips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// The event, `system:name`.
    pub event: String,
    /// The reason, a clause without its subject: `has no field prev_prio`.
    pub reason: String,
    /// The span of the set's name.
    pub origin: Span,
}

/// The ends of a session, besides a signal and the end of its command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Life {
    /// The duration of `stop after D`, counted from the start of recording.
    #[serde(deserialize_with = "stated::option")]
    pub stop_after: Option<Duration>,
    /// The clause `stop with command`: the session has to be run with a command.
    #[serde(deserialize_with = "stated::option")]
    pub stop_with_command: Option<Span>,
    /// The clauses `stop on signal S`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_on_signals: Vec<StopSignal>,
    /// The clauses `stop with process N`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stop_with_processes: Vec<StopProcess>,
    /// The clause `ring`: the newest records are kept, and read when the session ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ring: Option<KeptRing>,
    /// The clause `rotate`: the output is written to one file after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotate: Option<Rotation>,
    /// The trigger `snapshot`: what the ring held when its event came is read when the session ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Span>,
    /// The clause `start paused`: something else switches recording on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_paused: Option<Span>,
}

/// The size of the files of an output, and how many are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rotation {
    /// The size in bytes at which a file is closed, and the next one begun.
    pub bytes: u64,
    /// How many files there may be, of which the oldest is removed; `None` for no limit.
    #[serde(deserialize_with = "stated::option")]
    pub max: Option<u64>,
    /// The span of the clause.
    pub origin: Span,
}

/// The ring of a session that keeps its newest records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptRing {
    /// The time before the end of the session whose records are written out; `None` for all that it holds.
    #[serde(deserialize_with = "stated::option")]
    pub last: Option<Duration>,
    /// The span of the clause.
    pub origin: Span,
}

/// A signal that ends a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopSignal {
    /// Its number.
    pub number: i32,
    /// The span of the clause.
    pub origin: Span,
}

/// A process whose end ends a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StopProcess {
    /// Its id, in the PID namespace of tracec.
    pub id: u32,
    /// The span of the clause.
    pub origin: Span,
}

/// The file that records are written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// The file's path as written in the session.
    pub path: String,
    /// The name of the form in which records are written. The list of forms is in the runtime.
    pub form: String,
    /// The span of the clause.
    pub origin: Span,
}

/// A session compiled for a kernel: its changes, and how its records are read.
///
/// It is checked when it is deserialised ([`InvalidPlan`]).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "stored::Unchecked")]
pub struct Plan {
    /// The version of its serialized form. It is the first field, so that a reader refuses a plan of another version
    /// before it reads the rest.
    pub version: PlanVersion,
    /// The session's name, `-e` for a one-liner.
    pub session: String,
    /// The release of the kernel that it was made for, as uname(2) has it; empty where that is not known.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub kernel: String,
    /// The texts that it was made of, by their names in messages. A span refers to them by index.
    pub files: Vec<String>,
    /// The changes.
    pub transaction: Transaction,
    /// The data for reading records.
    pub reading: Reading,
    /// The programs that record, where tracefs does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub programs: Option<Programs>,
    /// The events that a clause includes and that the session skips.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// The ends of the session.
    pub life: Life,
    /// The events that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub watches: Vec<Watch>,
    /// The file for records; `None` is standard output.
    pub output: Option<Output>,
}

impl Plan {
    /// Returns the clause that needs a command, whose tasks alone are recorded; `None` if the session can run without one.
    pub fn scope_of_command(&self) -> Option<Span> {
        let steps = self.transaction.steps().iter();
        let mut found = steps.filter(|step| match &step.action {
            Action::Scope(tasks) => tasks.contains(&ScopedTasks::Command),
            _ => false,
        });
        found.next().map(|step| step.origin)
    }

    /// Returns whether it writes what its ring holds to files while it runs.
    pub fn has_dumps(&self) -> bool {
        self.watches.iter().any(|watch| watch.dump().is_some())
    }

    /// Returns whether the ring of the instance gets records: of a session without programs, and of one of which they
    /// record a part.
    pub fn has_ring(&self) -> bool {
        let starts = |step: &Step| {
            let is_on =
                |file: &Location| file.in_instance().is_some_and(|path| path.as_str() == "tracing_on");
            step.action.written().is_some_and(|(file, value)| is_on(&file) && value == "1")
        };
        self.programs.is_none() || self.transaction.steps().iter().any(starts)
    }
}
