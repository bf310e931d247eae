//! The layouts `trace-cmd-3.1` and `trace-cmd-3.3`: the lines of `trace-cmd report` of these versions.
//!
//! `comm-pid [cpu] seconds: event: TEXT`, with `cpus=N` in front of the first; 3.3 adds the flags behind the CPU. Facts
//! were observed on trace-cmd 3.1.6 and, of a stored text, 3.3.3. A line of a buffer that has a name begins with it. A loss
//! is `CPU:0 [255 EVENTS DROPPED]`, and takes the name of its record's line.

use std::io::Write;

use rustc_hash::FxHashMap;
use tracec_kernel::append::push_short;
use tracec_kernel::page::Lost;
use tracec_kernel::record::{Record, Value};
use tracec_kernel::text::{Call, Function, Style, Symbol};

use super::super::lines::{
    Lines, push_blanks, push_cpu, push_fields, push_name, push_padded_right, push_right, push_seconds,
    push_shown, push_text,
};
use super::super::text::Timestamps;
use super::super::{Event, Form, Overview, Printed, Ring, Sink, SinkError, UNKNOWN};
use super::calls::{CallLines, Waiting};
use super::contexts::{COMM_WIDTH, Contexts, SECONDS_WIDTH};
use super::flags;
use super::functions::Callers;
use super::losses::Losses;

/// The layout of trace-cmd 3.1.
pub static TRACE_CMD_3_1: Form = Form {
    name: "trace-cmd-3.1",
    about: "the lines of `trace-cmd report` 3.1",
    sink: |out, timestamps| Box::new(TraceCmd::new(Lines::new(out), timestamps, TraceCmdDisplay::new(false))),
};

/// The layout of trace-cmd 3.3.
pub static TRACE_CMD_3_3: Form = Form {
    name: "trace-cmd-3.3",
    about: "the lines of `trace-cmd report` 3.3",
    sink: |out, timestamps| Box::new(TraceCmd::new(Lines::new(out), timestamps, TraceCmdDisplay::new(true))),
};

/// What the lines of trace-cmd show, by its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceCmdDisplay {
    /// Whether the version is 3.3 and not 3.1.
    pub is_3_3: bool,
    /// `-l`: short names, and the flags in 3.1 too.
    pub latency: bool,
    /// `-O indent`, which is set: functions are indented by the callers before.
    pub indent: bool,
    /// `-O parent`: a function that was called is followed by its caller.
    pub parent: bool,
    /// `-O offset`: functions have the offset of the call.
    pub offset: bool,
}

impl TraceCmdDisplay {
    /// Returns what a version shows without options.
    pub fn new(is_3_3: bool) -> Self {
        TraceCmdDisplay { is_3_3, latency: false, indent: true, parent: false, offset: false }
    }

    /// Appends the columns in front of the time.
    fn push_columns(self, line: &mut Vec<u8>, event: &Event<'_>, comm: &[u8]) {
        let (comm, width) = match self.latency {
            true => (comm.get(..SHORT_COMM).unwrap_or(comm), SHORT_COMM),
            false => (comm, COMM_WIDTH),
        };
        push_right(line, comm, width);
        line.push(b'-');
        push_padded_right(line, event.record.common_pid(), PID_WIDTH);
        line.push(b' ');
        match self.latency {
            true => push_shown(line, format_args!("{:>3}", event.cpu)),
            false => push_cpu(line, event.cpu),
        }
        if self.is_3_3 && !self.latency {
            line.push(b' ');
        }
        if self.is_3_3 || self.latency {
            line.extend_from_slice(&flags::of_trace_cmd(event.record));
        }
    }

    fn style(self) -> Style {
        if self.is_3_3 { Style::TRACE_CMD_3_3 } else { Style::TRACE_CMD_3_1 }
    }
}

/// Returns a sink of a layout of trace-cmd with options.
pub fn trace_cmd_layout(out: Box<dyn Write + Send>, display: TraceCmdDisplay) -> Box<dyn Sink> {
    Box::new(TraceCmd::new(Lines::new(out), Timestamps::Nanoseconds, display))
}

/// The width of names with `-l`, to which they are cut.
const SHORT_COMM: usize = 8;
/// The blanks per caller of a function.
const INDENT: usize = 3;
/// The width of pids.
const PID_WIDTH: usize = 5;
/// The column behind the name of an event, counted from its beginning.
const TEXT_COLUMN: usize = 22;

struct TraceCmd {
    /// A call waits for the next record of its buffer.
    lines: CallLines<u32>,
    timestamps: Timestamps,
    display: TraceCmdDisplay,
    callers: Callers,
    /// What lines of each buffer begin with.
    prefixes: Vec<Vec<u8>>,
    contexts: Contexts,
    losses: Losses,
    /// The names of threads that the recording lacks, as the records before have them. The first one stays.
    learned: FxHashMap<i32, Box<[u8]>>,
}

impl TraceCmd {
    fn new(lines: Lines, timestamps: Timestamps, display: TraceCmdDisplay) -> Self {
        TraceCmd {
            lines: CallLines::new(lines, display.style()),
            timestamps,
            display,
            callers: Callers::default(),
            prefixes: Vec::new(),
            contexts: Contexts::new(),
            losses: Losses::default(),
            learned: FxHashMap::default(),
        }
    }

    /// Takes the names of threads that a record of the scheduler has.
    fn learn(&mut self, record: &Record<'_>) {
        let format = record.format;
        if format.system != "sched" {
            return;
        }
        let pairs: &[(&str, &str)] = match format.name.as_str() {
            "sched_switch" => &[("prev_pid", "prev_comm"), ("next_pid", "next_comm")],
            "sched_wakeup" | "sched_wakeup_new" => &[("pid", "comm")],
            _ => &[],
        };
        for (pid, comm) in pairs {
            if let (Some(Ok(Value::Int(pid))), Some(Ok(Value::Text(comm)))) =
                (record.get(pid), record.get(comm))
                && let Ok(pid) = i32::try_from(pid)
            {
                self.learned.entry(pid).or_insert_with(|| comm.into());
            }
        }
    }

    /// Completes the line of the call that waits for this record. Returns whether the record is its return, which has no
    /// line of its own: 3.1 takes it for that on any CPU.
    fn completes(&mut self, event: &Event<'_>, next: Option<&Call>) -> Result<bool, SinkError> {
        let Some(waiting) = self.lines.waiting(event.buffer) else { return Ok(false) };
        let is_of_call =
            waiting.task == event.record.common_pid() && (!self.display.is_3_3 || waiting.cpu == event.cpu);
        let end = next.filter(|next| is_of_call && waiting.call.is_ended_by(next));
        let returned = end.and_then(|end| end.returned);
        self.lines.complete(event.buffer, returned.as_ref())?;
        Ok(returned.is_some())
    }

    /// Appends a function that was called, behind the blanks that its callers ask for.
    fn push_function(&mut self, event: &Event<'_>, called: &Function<'_>) {
        let display = self.display;
        let Function { address, function, parent_address, parent, repeats } = *called;
        let depth = match parent {
            Some(parent) if display.indent => {
                let name = function.map(|function| function.name.as_bytes());
                self.callers.depth(event.cpu, parent.name.as_bytes(), name)
            }
            _ => 0,
        };
        let line = self.lines.line();
        push_blanks(line, INDENT * depth);
        push_symbol(line, address, function, display.offset);
        if display.parent {
            line.extend_from_slice(b" <-- ");
            push_symbol(line, parent_address, parent, display.offset);
        }
        if let Some((count, before)) = repeats {
            push_shown(line, format_args!(" (count: {count}  last_ts: "));
            push_seconds(line, event.timestamp.wrapping_sub(before), SECONDS_WIDTH);
            line.push(b')');
        }
    }

    fn push_prefix(&mut self, buffer: u32) {
        if let Some(prefix) = self.prefixes.get(buffer as usize) {
            push_short(self.lines.line(), prefix);
        }
    }
}

impl Sink for TraceCmd {
    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        // Only an option of the recording says that its clock does not count nanoseconds.
        self.timestamps = overview.stated.unwrap_or(Timestamps::Nanoseconds);
        let width = overview.buffers.iter().map(|buffer| buffer.name.len()).max().unwrap_or(0);
        let prefix = |name: &str| -> Vec<u8> {
            let mut prefix = Vec::new();
            if width > 0 {
                push_right(&mut prefix, name.as_bytes(), width);
                prefix.extend_from_slice(if name.is_empty() { b"  " } else { b": " });
            }
            prefix
        };
        self.prefixes = overview.buffers.iter().map(|buffer| prefix(&buffer.name)).collect();
        push_shown(self.lines.line(), format_args!("cpus={}", overview.cpus));
        self.lines.end_line()
    }

    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let call = event.text.as_ref().and_then(Printed::call);
        if self.completes(event, call.as_ref())? {
            return Ok(());
        }
        self.push_prefix(event.buffer);
        if let Some(lost) = self.losses.take(event.ring()) {
            let (line, cpu) = (self.lines.line(), event.cpu);
            match lost {
                Lost::Count(count) => push_shown(line, format_args!("CPU:{cpu} [{count} EVENTS DROPPED]")),
                _ => push_shown(line, format_args!("CPU:{cpu} [EVENTS DROPPED]")),
            }
            self.lines.end_line()?;
        }
        let line = self.lines.line();
        let pid = event.record.common_pid();
        let comm = match event.comm {
            UNKNOWN => self.learned.get(&pid).map_or(UNKNOWN, |name| name),
            comm => comm,
        };
        let display = self.display;
        let has_gap = self.timestamps == Timestamps::Nanoseconds;
        self.contexts.push(line, (event, comm), self.timestamps, |columns| {
            display.push_columns(columns, event, comm);
            if has_gap {
                columns.push(b' ');
            }
        });
        let name_from = line.len();
        push_name(line, event.record.format.name.as_bytes());
        line.push(b':');
        line.resize(line.len().max(name_from + TEXT_COLUMN - 1), b' ');
        line.push(b' ');
        match &event.text {
            Some(text) if let Some(call) = call.filter(|call| call.returned.is_none()) => {
                let name = line.len();
                text.push_function(line);
                let waiting = Waiting { call, task: pid, cpu: event.cpu, caller: 0 };
                return self.lines.end_waiting(event.buffer, waiting, name);
            }
            Some(text) => match text.function() {
                Some(function) => self.push_function(event, &function),
                None => push_text(line, text),
            },
            None => {
                line.extend_from_slice(b"[FAILED TO PARSE]");
                push_fields(line, event.record);
            }
        }
        self.lines.end_line()?;
        self.learn(event.record);
        Ok(())
    }

    fn style(&self) -> Style {
        self.display.style()
    }

    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        // The return of a call that waits may be among those that were lost.
        if self.lines.waiting(ring.buffer).is_some_and(|waiting| waiting.cpu == ring.cpu) {
            self.lines.complete(ring.buffer, None)?;
        }
        self.losses.note(ring, lost);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.lines.flush()
    }
}

/// Appends a function and, if asked for, the offset of a call in it.
fn push_symbol(line: &mut Vec<u8>, address: u64, symbol: Option<Symbol<'_>>, has_offset: bool) {
    match symbol {
        Some(symbol) if has_offset => {
            push_shown(line, format_args!("{}+0x{:x} ", symbol.name, symbol.offset as u32));
        }
        Some(symbol) => push_name(line, symbol.name.as_bytes()),
        None => push_shown(line, format_args!("{address:#x}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::BufferOverview;
    use super::super::super::testing::{Sample, Shared};
    use super::*;

    fn written(form: &Form, overview: &Overview, write: impl FnOnce(&mut dyn Sink)) -> String {
        let shared = Shared::default();
        let mut sink = form.sink(Box::new(shared.clone()), Timestamps::Nanoseconds);
        sink.begin(overview).unwrap();
        write(&mut *sink);
        sink.finish().unwrap();
        shared.text()
    }

    #[test]
    fn versions_differ_in_the_flags() {
        let overview = Overview { cpus: 2, ..Overview::default() };
        let give = |sink: &mut dyn Sink| Sample::new(b"a", -3, 12).give(sink, 7_000_041_500, b"bash", None);
        assert_eq!(
            written(&TRACE_CMD_3_1, &overview, give),
            "cpus=2\n            bash-12    [002]     7.000042: sample:               a\n"
        );
        assert_eq!(
            written(&TRACE_CMD_3_3, &overview, give),
            "cpus=2\n            bash-12    [002] .....     7.000042: sample:               a\n"
        );
    }

    #[test]
    fn loss_takes_the_name_of_the_buffer() {
        let buffer = |name: &str| BufferOverview { name: name.to_owned(), ..BufferOverview::default() };
        let buffers = vec![buffer(""), buffer("a"), buffer("long")];
        let text = written(&TRACE_CMD_3_1, &Overview { cpus: 1, buffers, ..Overview::default() }, |sink| {
            let sample = Sample::new(b"x", 1, 1);
            sink.lost(Ring { buffer: 1, cpu: 2 }, Lost::Count(5)).unwrap();
            sink.lost(Ring { buffer: 2, cpu: 2 }, Lost::Unknown).unwrap();
            (0..3).for_each(|buffer| sample.give_in(buffer, sink, 1_000, b"c", None));
        });
        let line = "               c-1     [002]     0.000001: sample:               x\n";
        let expected = format!(
            "cpus=1\n      {line}   a: CPU:2 [5 EVENTS DROPPED]\n{line}long: CPU:2 [EVENTS DROPPED]\n{line}"
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn stated_clock_decides_on_the_notation() {
        let overview = Overview { stated: Some(Timestamps::Raw), ..Overview::default() };
        let text = written(&TRACE_CMD_3_1, &overview, |sink| {
            Sample::new(b"x", 1, 1).give(sink, 1_234_567, b"c", None)
        });
        assert_eq!(text, "cpus=0\n               c-1     [002]     1234567: sample:               x\n");
    }
}
