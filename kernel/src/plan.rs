//! A plan: what a session changes in tracefs, in order, each change with what undoes it and the clause it comes from.
//!
//! A plan is data. The compiler's tracefs target makes it, `tracec plan` prints it, the runtime carries it out.

mod display;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

use crate::condition::ir::Condition;
use crate::format::EventFormat;

/// The place in the source text that a change comes from.
pub type Origin = tracec_span::Span;

/// Name of a directory below `instances/`: what `mkdir` there accepts and a shell can pass on.
///
/// 1 to 64 of `[A-Za-z0-9._-]`, beginning with a letter, digit or `_`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct InstanceName(String);

/// Why a text cannot name an instance.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an instance name is 1 to 64 of `A-Z a-z 0-9 . _ -` and begins with a letter, a digit or `_`")]
pub struct InvalidInstanceName;

impl InstanceName {
    /// Checks a name.
    ///
    /// # Errors
    /// [`InvalidInstanceName`] for everything that is not of the form above, `..` and names with `/` among it.
    pub fn new(name: &str) -> Result<Self, InvalidInstanceName> {
        let ok_first = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let ok = |c: char| ok_first(c) || c == '.' || c == '-';
        if name.len() <= 64 && name.chars().next().is_some_and(ok_first) && name.chars().all(ok) {
            Ok(InstanceName(name.to_owned()))
        } else {
            Err(InvalidInstanceName)
        }
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for InstanceName {
    type Error = InvalidInstanceName;

    fn try_from(name: String) -> Result<Self, Self::Error> {
        InstanceName::new(&name)
    }
}

impl From<InstanceName> for String {
    fn from(name: InstanceName) -> Self {
        name.0
    }
}

impl fmt::Display for InstanceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// An event that a set names and the session leaves alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The event, `system:name`.
    pub event: String,
    /// Why, a clause without its subject: `has no field prev_prio`.
    pub reason: String,
    /// Where the set is named.
    pub origin: Origin,
}

/// What the reader of an event's records decides, beside the event's filter in the kernel.
///
/// A record is kept if all conditions of its event hold. They are about raw records: the fields in them are those of
/// the event's layout in [`Plan::formats`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCondition {
    /// The event, `system:name`.
    pub event: String,
    /// What its records must meet. It asks for no context but the CPU.
    pub condition: Condition,
    /// Where it stands.
    pub origin: Origin,
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What is done.
    pub action: Action,
    /// What undoes it.
    pub inverse: Inverse,
    /// The clause that asked for it.
    pub origin: Origin,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// `mkdir instances/NAME`; fails if it is there.
    CreateInstance,
    /// One `write(2)` of `value` to `file`, a path relative to the instance's directory.
    Write {
        /// `events/sched/sched_switch/filter`, `buffer_size_kb`, ...
        file: String,
        /// The bytes written, without a trailing newline.
        value: String,
        /// What the file holds in a new instance, where the tables know it: shown as `old -> new`.
        old: Option<String>,
    },
}

/// How a step is undone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inverse {
    /// `rmdir instances/NAME`.
    RemoveInstance,
    /// Nothing of its own: the state lies in the instance and goes with it.
    WithInstance,
}

/// When a session ends, besides a signal and the end of its command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Life {
    /// `stop after D`, counted from the moment recording is on.
    pub stop_after: Option<Duration>,
    /// `stop with command`, the clause: the session is made to run around a command.
    #[serde(default)]
    pub stop_with_command: Option<Origin>,
}

/// The forms in which records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordFormat {
    /// One line a record, `field=value`.
    Text,
    /// One JSON object a line.
    JsonLines,
}

/// Where records go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// The file's path as written in the session.
    pub path: String,
    /// In which form.
    pub format: RecordFormat,
    /// The clause.
    pub origin: Origin,
}

/// A session made ready for a kernel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The session's name, `-e` for a one-liner.
    pub session: String,
    /// The instance it lives in.
    pub instance: InstanceName,
    /// The steps; the first creates the instance, the last turns recording on.
    pub changes: Vec<Change>,
    /// What is decided when the records are read: the kernel's filters cannot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub host: Vec<HostCondition>,
    /// The events that a clause names and that it does not act on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// When it ends.
    pub life: Life,
    /// Where records go; `None` is standard output.
    pub output: Option<Output>,
    /// The trace clock the instance runs on.
    pub clock: String,
    /// The layouts of the events that can appear in the buffer.
    pub formats: Vec<EventFormat>,
    /// The layout of a ring-buffer page.
    pub page: crate::page::PageLayout,
}
