//! The tasks that a session is limited to.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Span;

/// The event by which threads are told from children (`task_newtask`, include/trace/events/task.h).
pub const NEW_TASKS: &str = "task:task_newtask";

/// Tasks whose events alone a session records. Ids are those of the first PID namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ScopedTasks {
    /// All threads of a process, by its id.
    Process(u32),
    /// One thread, by its id.
    Thread(u32),
    /// The command that the session runs.
    Command,
}

/// Describes the tasks: `the threads of process 7`.
impl fmt::Display for ScopedTasks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScopedTasks::Process(id) => write!(f, "the threads of process {id}"),
            ScopedTasks::Thread(id) => write!(f, "thread {id}"),
            ScopedTasks::Command => f.write_str("the command"),
        }
    }
}

/// That the reader of records leaves out what children of the scope's processes do. The kernel adds new threads and new
/// children to its list alike (`trace_event_follow_fork`, kernel/trace/trace_events.c); the records of [`NEW_TASKS`] tell
/// them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WithoutChildren {
    /// Whether the session itself records [`NEW_TASKS`]: otherwise its records are read and not shown.
    pub shows_new_tasks: bool,
    /// The span of the scope.
    pub origin: Span,
}
