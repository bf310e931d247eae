//! What stands around calls and returns of function_graph in the lines of the kernel: the columns in front of them, the
//! marks where another task goes on, and other records as comments (kernel/trace/trace_functions_graph.c).

use rustc_hash::FxHashMap;
use tracec_kernel::append::{push_decimal, push_signed};
use tracec_kernel::text::Call;

use super::super::lines::{push_blanks, push_name, push_shown};
use super::super::{Event, Ring};
use super::flags;

/// The columns in front of calls and returns. The default is that of the tracer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallColumns {
    /// `funcgraph-abstime`: the time.
    pub time: bool,
    /// `funcgraph-cpu`: the CPU.
    pub cpu: bool,
    /// `funcgraph-proc`: the task.
    pub task: bool,
    /// `latency-format`: the flags.
    pub flags: bool,
}

impl Default for CallColumns {
    fn default() -> Self {
        CallColumns { time: false, cpu: true, task: false, flags: false }
    }
}

/// The width of the column of tasks, and the bytes of a name there.
const TASK_WIDTH: usize = 14;
const TASK_NAME: usize = 7;

impl CallColumns {
    /// Appends the columns in front of a record, on a machine of so many CPUs.
    pub(super) fn push(self, line: &mut Vec<u8>, event: &Event<'_>, cpus: u32) {
        if self.time {
            let microseconds = event.timestamp / 1000;
            let (seconds, part) = (microseconds / 1_000_000, microseconds % 1_000_000);
            push_shown(line, format_args!("{seconds:>5}.{part:06} |  "));
        }
        if self.cpu {
            push_cpu(line, event.cpu, cpus);
        }
        if self.task {
            push_task(line, event.comm, event.record.common_pid());
            line.extend_from_slice(b" | ");
        }
        if self.flags {
            line.push(b' ');
            line.extend_from_slice(&flags::of_kernel(event.record));
            line.extend_from_slice(b" | ");
        }
    }
}

/// Appends ` 3) `, with the room that all numbers of CPUs take.
fn push_cpu(line: &mut Vec<u8>, cpu: u32, cpus: u32) {
    let digits = |number: u32| number.checked_ilog10().unwrap_or(0) as usize;
    line.push(b' ');
    push_blanks(line, digits(cpus).saturating_sub(digits(cpu)));
    push_decimal(line, cpu.into());
    line.extend_from_slice(b") ");
}

/// Appends a task in the middle of its column.
fn push_task(line: &mut Vec<u8>, comm: &[u8], pid: i32) {
    let from = line.len();
    push_name(line, comm.get(..TASK_NAME).unwrap_or(comm));
    line.push(b'-');
    push_signed(line, pid.into());
    let blanks = TASK_WIDTH.saturating_sub(line.len() - from);
    line.splice(from..from, std::iter::repeat_n(b' ', blanks / 2));
    push_blanks(line, blanks - blanks / 2);
}

/// The number of calls around a function that the kernel follows: `FTRACE_RETFUNC_DEPTH` (include/linux/ftrace.h).
const DEPTH: usize = 50;

/// What the kernel remembers of a CPU while it prints.
#[derive(Debug)]
struct Cpu {
    /// The task of the record before.
    task: (i32, Vec<u8>),
    /// The depth of comments.
    depth: i64,
    /// The functions whose braces are open.
    open: [u64; DEPTH],
}

/// What the kernel remembers of all CPUs.
#[derive(Debug, Default)]
pub(super) struct Cpus(FxHashMap<Ring, Cpu>);

/// What stands around the mark of another task.
const RULE: &[u8] = b" ------------------------------------------\n";

impl Cpus {
    /// Appends the mark of another task, if the record before was of one.
    pub(super) fn push_switch(&mut self, line: &mut Vec<u8>, event: &Event<'_>, cpus: u32) {
        let task = (event.record.common_pid(), event.comm);
        let Some(cpu) = self.0.get_mut(&event.ring()) else {
            let cpu = Cpu { task: (task.0, task.1.to_vec()), depth: 0, open: [0; DEPTH] };
            self.0.insert(event.ring(), cpu);
            return;
        };
        if cpu.task.0 == task.0 {
            return;
        }
        line.extend_from_slice(RULE);
        push_cpu(line, event.cpu, cpus);
        push_task(line, &cpu.task.1, cpu.task.0);
        line.extend_from_slice(b" => ");
        push_task(line, task.1, task.0);
        line.push(b'\n');
        line.extend_from_slice(RULE);
        line.push(b'\n');
        cpu.task.0 = task.0;
        cpu.task.1.clear();
        cpu.task.1.extend_from_slice(task.1);
    }

    /// Notes a call that has become a line of its own, or that has opened a brace.
    pub(super) fn called(&mut self, ring: Ring, call: &Call, is_leaf: bool) {
        let Some(cpu) = self.0.get_mut(&ring) else { return };
        cpu.depth = i64::from(call.depth) - i64::from(is_leaf);
        if let Some(open) = cpu.open.get_mut(call.depth as usize) {
            *open = if is_leaf { 0 } else { call.function };
        }
    }

    /// Notes a return. Returns whether its call has opened a brace.
    pub(super) fn returned(&mut self, ring: Ring, call: &Call) -> bool {
        let Some(cpu) = self.0.get_mut(&ring) else { return false };
        cpu.depth = i64::from(call.depth) - 1;
        match cpu.open.get_mut(call.depth as usize) {
            Some(open) => std::mem::take(open) == call.function,
            None => true,
        }
    }

    /// Returns the number of blanks in front of a comment.
    pub(super) fn indentation(&self, ring: Ring) -> usize {
        let depth = self.0.get(&ring).map_or(0, |cpu| cpu.depth);
        if depth > 0 { 2 * (usize::try_from(depth).unwrap_or(0) + 1) } else { 0 }
    }
}
