//! What a session waits for: events that are recorded in instances of their own.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{NEW_TASKS, Output, Reading, Span, Transaction, stated};
use crate::format::EventFormat;

/// Events that a session waits for. They are recorded in an instance of their own, which nothing else fills, so that the
/// session is woken by the first of them whatever else it records. The clock is the session's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watch {
    /// The changes.
    pub transaction: Transaction,
    /// The data for reading records.
    pub reading: Reading,
    /// How many records it takes.
    pub count: u64,
    /// What happens then.
    pub then: Then,
    /// The span of the clause.
    pub origin: Span,
}

impl Watch {
    /// Returns the files that it writes; `None` if it ends the session.
    pub fn dump(&self) -> Option<&DumpFiles> {
        match &self.then {
            Then::Stop { .. } => None,
            Then::Dump(files) => Some(files),
        }
    }

    /// Returns the events, `system:name`, without those that are only read to tell children from threads.
    pub fn events(&self) -> Vec<String> {
        let helps = self.reading.without_children.is_some_and(|without| !without.shows_new_tasks);
        let own = self.reading.formats.iter().filter(|format| format.system != "ftrace");
        let names = own.map(EventFormat::qualified_name);
        names.filter(|name| !(helps && name == NEW_TASKS)).collect()
    }
}

/// What happens when an event comes that a session waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Then {
    /// The session ends.
    Stop {
        /// How long it goes on; `None` to end at the event.
        #[serde(deserialize_with = "stated::option")]
        keep: Option<Duration>,
    },
    /// What the ring of the session holds is written to a file, and the session goes on.
    Dump(DumpFiles),
}

/// What stands for the number of a dump in the name of its file.
pub const DUMP_NUMBER: &str = "{n}";

/// The files that the dumps of a clause are written to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DumpFiles {
    /// Their path, in which [`DUMP_NUMBER`] stands for the number, and their form.
    pub to: Output,
    /// How many there may be; `None` for no limit.
    #[serde(deserialize_with = "stated::option")]
    pub max: Option<u64>,
}

impl DumpFiles {
    /// Returns the path of the dump of a number: the first one has the number 1.
    pub fn path(&self, number: u64) -> String {
        self.to.path.replace(DUMP_NUMBER, &number.to_string())
    }
}
