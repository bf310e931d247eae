//! Leaves out what children of a scope's processes do.
//!
//! The kernel adds new threads and new children to the list of an instance alike (`trace_event_follow_fork`,
//! kernel/trace/trace_events.c). The record of a new task says which it is, and comes before the records of that task: the
//! records of all CPUs are merged by time before they come here. A task without such a record, because it was created before
//! recording began, or because the record was lost, is asked for in `/proc`; one that has ended is taken for a child.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_kernel::plan::{NEW_TASKS, WithoutChildren};
use tracec_kernel::record::Record;
use tracec_kernel::value::Value;

use super::host::is_stack;

/// The flag of a new task that is a thread (include/uapi/linux/sched.h).
const CLONE_THREAD: i128 = 0x0001_0000;

/// Events that the kernel records if either of two tasks is listed (kernel/trace/trace_events.c,
/// `event_filter_pid_sched_switch_probe_pre`, `event_filter_pid_sched_wakeup_probe_pre`), and the field of the other task.
const OF_TWO_TASKS: &[(&str, &str)] = &[
    ("sched_switch", "next_pid"),
    ("sched_waking", "pid"),
    ("sched_wakeup", "pid"),
    ("sched_wakeup_new", "pid"),
];

/// The tasks that a session was limited to when it was applied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Scoped {
    /// The threads of processes, and the command.
    pub(crate) processes: FxHashSet<i32>,
    /// Threads that were named alone.
    pub(crate) threads: FxHashSet<i32>,
}

/// Which records are those of the tasks of a scope.
#[derive(Debug)]
pub(crate) struct Children {
    scoped: Scoped,
    /// The tasks that threads of the scope have created, and which are not threads of a process.
    left_out: FxHashSet<i32>,
    shows_new_tasks: bool,
    /// Whether the last record of each CPU was kept: a stack belongs to it.
    last: FxHashMap<u32, bool>,
}

impl Children {
    pub(crate) fn new(scoped: Scoped, without: WithoutChildren) -> Self {
        let (left_out, last) = (FxHashSet::default(), FxHashMap::default());
        Children { scoped, left_out, shows_new_tasks: without.shows_new_tasks, last }
    }

    /// Returns whether a record is shown. Records come in the order of time.
    pub(crate) fn keeps(&mut self, cpu: u32, record: &Record<'_>) -> bool {
        let format = record.format;
        if is_stack(format) {
            return self.last.get(&cpu).copied().unwrap_or(true);
        }
        // Markers are written by anybody, whom the kernel does not look up in its list.
        if format.system == "ftrace" {
            return true;
        }
        let is_new_task = format.qualified_name() == NEW_TASKS;
        let kept = self.is_of_scope(record) && (self.shows_new_tasks || !is_new_task);
        if is_new_task {
            self.learn(record);
        }
        self.last.insert(cpu, kept);
        kept
    }

    fn is_of_scope(&mut self, record: &Record<'_>) -> bool {
        let own = record.common_pid();
        let is_event = |name: &str| record.format.system == "sched" && record.format.name == name;
        let other = OF_TWO_TASKS.iter().find(|(name, _)| is_event(name));
        let other = other.and_then(|(_, field)| i32::try_from(number(record, field)?).ok());
        self.is_listed(own) || other.is_some_and(|other| self.is_listed(other))
    }

    /// Returns whether a task is one of the scope.
    fn is_listed(&mut self, id: i32) -> bool {
        if self.scoped.processes.contains(&id) || self.scoped.threads.contains(&id) {
            return true;
        }
        if self.left_out.contains(&id) {
            return false;
        }
        let is_thread = process_of(id).is_some_and(|process| self.scoped.processes.contains(&process));
        if is_thread {
            self.scoped.processes.insert(id)
        } else {
            self.left_out.insert(id)
        };
        is_thread
    }

    fn learn(&mut self, record: &Record<'_>) {
        let Some(id) = number(record, "pid").and_then(|id| i32::try_from(id).ok()) else { return };
        let is_thread = number(record, "clone_flags").is_some_and(|flags| flags & CLONE_THREAD != 0);
        // Ids are used again.
        self.scoped.threads.remove(&id);
        let creator = record.common_pid();
        if is_thread && self.is_listed(creator) && !self.scoped.threads.contains(&creator) {
            self.left_out.remove(&id);
            self.scoped.processes.insert(id);
        } else {
            self.scoped.processes.remove(&id);
            self.left_out.insert(id);
        }
    }
}

/// Returns the process of a thread, by its ids in the first PID namespace: only there a scope has ids.
fn process_of(id: i32) -> Option<i32> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("Tgid:"))?.trim().parse().ok()
}

fn number(record: &Record<'_>, field: &str) -> Option<i128> {
    match record.get(field)?.ok()? {
        Value::Int(value) => Some(i128::from(value)),
        Value::UInt(value) => Some(i128::from(value)),
        _ => None,
    }
}
