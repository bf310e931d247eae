//! A plan in two halves: what a session changes ([`Transaction`]), and how its records are read ([`Reading`]).
//!
//! A plan is data. The compiler's tracefs target makes it, `tracec plan` prints it, the runtime carries it out: apply,
//! journal, undo and recovery work from the transaction alone, readers of records from the reading alone.

mod checked;
mod definition;
mod display;
mod path;
mod reading;
mod sysctl;
mod transaction;

use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use definition::{Definition, InvalidDefinition};
pub use path::{FilePath, InstanceName, InvalidFilePath, InvalidInstanceName};
pub use reading::{HostCondition, Reading};
pub use sysctl::{Sysctl, UnknownSysctl};
pub use tracec_span::Span;
pub use transaction::{Action, Location, Step, Transaction, TransactionError, Undo};

/// An event that a set names and the session leaves alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The event, `system:name`.
    pub event: String,
    /// Why, a clause without its subject: `has no field prev_prio`.
    pub reason: String,
    /// Where the set is named.
    pub origin: Span,
}

/// When a session ends, besides a signal and the end of its command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// `stop after D`, counted from the moment recording is on.
    pub stop_after: Option<Duration>,
    /// `stop with command`, the clause: the session is made to run around a command.
    #[serde(default)]
    pub stop_with_command: Option<Span>,
}

/// Where records go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The file's path as written in the session.
    pub path: String,
    /// The name of the form in which they are written. Which forms exist, the writer of records knows.
    pub form: String,
    /// The clause.
    pub origin: Span,
}

/// A session made ready for a kernel: what it changes, and how its records are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The session's name, `-e` for a one-liner.
    pub session: String,
    /// What is changed.
    pub transaction: Transaction,
    /// How records are read.
    pub reading: Reading,
    /// The events that a clause names and that it does not act on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// When it ends.
    pub life: Life,
    /// Where records go; `None` is standard output.
    pub output: Option<Output>,
}
