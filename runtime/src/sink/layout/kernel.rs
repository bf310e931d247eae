//! The layout `kernel`: the lines of the kernel's file `trace`, without its header (`print_trace_line` and
//! `trace_print_context`, kernel/trace/trace.c and trace_output.c).
//!
//! `comm-pid [cpu] flags seconds: event: TEXT`, where system calls and the records of tracers have no name of an event. A
//! loss is `CPU:0 [LOST 255 EVENTS]`. Where a recording has several buffers, each line begins with the name of its own.

use std::io::Write;

use tracec_kernel::append::push_short;
use tracec_kernel::escaped::Escaped;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::text::{Call, Style, TextError};

use super::super::lines::{
    Lines, push_blanks, push_cpu, push_fields, push_name, push_padded_right, push_right, push_seconds,
    push_shown, push_text_at,
};
use super::super::text::Timestamps;
use super::super::{BufferOverview, Event, Form, Overview, Printed, Ring, Sink, SinkError};
use super::calls::{CallLines, Waiting};
use super::contexts::{COMM_WIDTH, Contexts, RAW_WIDTH, SECONDS_WIDTH};
use super::flags;
use super::graph::{CallColumns, Cpus};
use super::latency::{Latency, LatencyColumns};
use super::losses::Losses;

/// The layout of the kernel.
pub static KERNEL_LAYOUT: Form = Form {
    name: "kernel",
    about: "the lines of the kernel's file `trace`",
    sink: |out, timestamps| Box::new(Kernel::new(Lines::new(out), timestamps, Display::default())),
};

/// The layout of the kernel while its tracer is function_graph.
pub static FUNCTION_GRAPH_LAYOUT: Form = Form {
    name: "function_graph",
    about: "those of its tracer function_graph",
    sink: |out, timestamps| Box::new(Kernel::new(Lines::new(out), timestamps, Display::function_graph())),
};

/// What the lines of the kernel show, by its trace options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    /// The style of texts: `sym-offset`, `sym-addr`, `print-parent`, `funcgraph-*`, `blk_classic`.
    pub style: Style,
    /// `context-info`: the task, the CPU and the time.
    pub context: bool,
    /// `irq-info`: the flags behind the CPU.
    pub flags: bool,
    /// `latency-format`: short columns, and times from a beginning on.
    pub latency: Option<Latency>,
    /// `printk-msg-only`: what programs and the kernel's code write has neither columns nor a function in front.
    pub messages_only: bool,
    /// Whether tasks, names of events and losses have colours.
    pub colour: bool,
    /// The columns in front of calls and returns.
    pub calls: CallColumns,
    /// Whether the lines are those of the tracer function_graph: calls and returns have no other columns, and other records
    /// are comments between them.
    pub is_graph: bool,
}

impl Default for Display {
    /// Returns what a kernel shows whose options nobody has changed.
    fn default() -> Self {
        let (style, calls) = (Style::default(), CallColumns::default());
        Display {
            style,
            context: true,
            flags: true,
            latency: None,
            messages_only: false,
            colour: false,
            calls,
            is_graph: false,
        }
    }
}

impl Display {
    /// Returns what the tracer function_graph shows.
    pub fn function_graph() -> Self {
        Display { is_graph: true, ..Display::default() }
    }
}

/// Returns a sink of the layout `kernel` with trace options.
pub fn kernel_layout(out: Box<dyn Write + Send>, display: Display) -> Box<dyn Sink> {
    Box::new(Kernel::new(Lines::new(out), Timestamps::Nanoseconds, display))
}

/// The width of pids.
const PID_WIDTH: usize = 7;

/// A buffer of a recording.
struct Buffer {
    /// What its lines begin with.
    prefix: Vec<u8>,
    timestamps: Timestamps,
}

struct Kernel {
    lines: CallLines<Ring>,
    display: Display,
    /// Those of the latency format.
    latency: Option<LatencyColumns>,
    /// The notation where nothing is known of the buffers.
    timestamps: Timestamps,
    buffers: Vec<Buffer>,
    contexts: Contexts,
    /// The number of CPUs of the machine.
    cpus: u32,
    losses: Losses,
    graph: Cpus,
}

impl Kernel {
    fn new(lines: Lines, timestamps: Timestamps, mut display: Display) -> Self {
        // Without it, the columns of function_graph are left out too.
        if !display.context {
            display.style.calls.durations = false;
        }
        // A comment has the text alone.
        display.style.places &= !display.is_graph && !display.messages_only;
        display.calls.flags = display.latency.is_some();
        Kernel {
            lines: CallLines::new(lines, display.style),
            display,
            latency: display.latency.map(LatencyColumns::new),
            timestamps,
            buffers: Vec::new(),
            contexts: Contexts::new(),
            cpus: 1,
            losses: Losses::default(),
            graph: Cpus::default(),
        }
    }

    /// Returns whether a text is a message that has no columns in front.
    fn is_message_alone(&self, text: &Printed<'_>) -> bool {
        self.display.messages_only && !self.display.is_graph && text.is_message()
    }

    /// Begins a line of a buffer with its name, if there are several.
    fn push_buffer(&mut self, buffer: u32) {
        if let Some(buffer) = self.buffers.get(buffer as usize) {
            push_short(self.lines.line(), &buffer.prefix);
        }
    }

    fn push_loss(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.push_buffer(ring.buffer);
        let (has_colour, cpu) = (self.display.colour, ring.cpu);
        let line = self.lines.line();
        push_colour(line, LOSS, has_colour);
        match lost {
            Lost::Count(count) => push_shown(line, format_args!("CPU:{cpu} [LOST {count} EVENTS]")),
            _ => push_shown(line, format_args!("CPU:{cpu} [LOST EVENTS]")),
        }
        push_colour(line, PLAIN, has_colour);
        self.lines.end_line()
    }

    /// Completes the line of the call that waits for this record. Returns whether the record is its return, which has no
    /// line of its own.
    fn completes(&mut self, event: &Event<'_>, next: Option<&Call>) -> Result<bool, SinkError> {
        let ring = event.ring();
        let Some(Waiting { call, task, .. }) = self.lines.waiting(ring) else { return Ok(false) };
        let end = next.filter(|next| call.is_ended_by(next) && *task == event.record.common_pid());
        let returned = end.and_then(|end| end.returned);
        self.graph.called(ring, call, returned.is_some());
        self.lines.complete(ring, returned.as_ref())?;
        Ok(returned.is_some())
    }

    fn push_call(&mut self, event: &Event<'_>, text: &Printed<'_>, call: &Call) -> Result<(), SinkError> {
        self.push_columns(event);
        let line = self.lines.line();
        let Some(returned) = &call.returned else {
            let name = line.len();
            text.push_function(line);
            let function = line.len();
            text.push_caller(line);
            let (task, caller) = (event.record.common_pid(), line.len() - function);
            let waiting = Waiting { call: *call, task, cpu: event.cpu, caller };
            return self.lines.end_waiting(event.ring(), waiting, name);
        };
        let is_matched = !self.display.is_graph || self.graph.returned(event.ring(), call);
        let push_name = |out: &mut Vec<u8>| text.push_function(out);
        call.push_return(self.display.style, &push_name, returned, is_matched, line);
        self.lines.end_line()
    }

    /// Appends a record between calls.
    fn push_comment(&mut self, event: &Event<'_>, timestamps: Timestamps) {
        self.push_columns(event);
        let has_colour = self.display.colour;
        let (line, indentation) = (self.lines.line(), self.graph.indentation(event.ring()));
        if self.display.style.calls.durations {
            line.extend_from_slice(b"              |  ");
        }
        push_blanks(line, indentation);
        line.extend_from_slice(b"/* ");
        push_named_text(line, event, timestamps, has_colour);
        line.pop_if(|last| *last == b'\n');
        line.extend_from_slice(b" */");
    }

    /// Appends the columns of a call, a return or a comment.
    fn push_columns(&mut self, event: &Event<'_>) {
        match self.display.is_graph {
            true => self.graph.push_switch(self.lines.line(), event, self.cpus),
            false => self.push_context(event, self.timestamps(event)),
        }
        if self.display.context {
            self.display.calls.push(self.lines.line(), event, self.cpus);
        }
    }

    /// Appends the columns of other records.
    fn push_context(&mut self, event: &Event<'_>, timestamps: Timestamps) {
        if !self.display.context {
            return;
        }
        if let Some(latency) = &mut self.latency {
            if latency.push(self.lines.line(), event, timestamps) {
                self.lines.leave_gap();
                latency.push_end(self.lines.line());
            }
        } else {
            let Display { flags, colour, .. } = self.display;
            self.contexts.push(self.lines.line(), (event, event.comm), timestamps, |columns| {
                push_columns(columns, event, flags, colour);
            });
        }
    }

    /// Completes the line before this record, which says how far away it is: `None` if none follows.
    fn fill_gap(&mut self, next: Option<u64>) -> Result<(), SinkError> {
        match self.latency.as_mut().and_then(|latency| latency.gap(next)) {
            Some(text) => self.lines.fill(&text),
            None => Ok(()),
        }
    }

    /// Returns the notation of a record's times.
    fn timestamps(&self, event: &Event<'_>) -> Timestamps {
        let known = self.buffers.get(event.buffer as usize);
        known.map_or(self.timestamps, |buffer| buffer.timestamps)
    }
}

/// Returns whether function_graph leaves a record to the lines of other tracers.
fn is_outside_of_graph(event: &Event<'_>) -> bool {
    let format = event.record.format;
    format.system == "ftrace" && matches!(format.name.as_str(), "function" | "kernel_stack")
}

/// Appends a record's name, where the kernel writes it, and its text.
fn push_named_text(line: &mut Vec<u8>, event: &Event<'_>, timestamps: Timestamps, colour: bool) {
    match &event.text {
        // The kernel ends the line of a `print fmt` also where that ends with a line break of its own.
        Some(text) if text.follows_name() => {
            push_colour(line, NAME, colour);
            text.push_name(line);
            push_colour(line, PLAIN, colour);
            text.push_line(line);
        }
        Some(text) => push_text_at(line, text, &|line, before| {
            push_time(line, event.timestamp.wrapping_sub(before), timestamps)
        }),
        None => {
            push_colour(line, NAME, colour);
            push_name(line, event.record.format.name.as_bytes());
            line.push(b':');
            push_colour(line, PLAIN, colour);
            push_fields(line, event.record);
        }
    }
}

/// Appends a request to a disk with the columns of blktrace(8), whose times always are nanoseconds
/// (`blk_log_action_classic`, kernel/trace/blktrace.c).
fn push_request(line: &mut Vec<u8>, event: &Event<'_>, text: &Printed<'_>) {
    let (seconds, rest) = (event.timestamp / 1_000_000_000, event.timestamp % 1_000_000_000);
    push_text_at(line, text, &|line, _| {
        push_shown(line, format_args!("{:>2} {seconds:>5}.{rest:09}", event.cpu));
    });
}

/// The colours of tasks, of names of events and of losses, and what ends a colour (ECMA-48, SGR).
const TASK: &[u8; 5] = b"\x1b[36m";
const NAME: &[u8; 4] = b"\x1b[1m";
const LOSS: &[u8; 5] = b"\x1b[31m";
const PLAIN: &[u8; 4] = b"\x1b[0m";

fn push_colour(line: &mut Vec<u8>, colour: &[u8], is_wanted: bool) {
    if is_wanted {
        line.extend_from_slice(colour);
    }
}

impl Sink for Kernel {
    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        self.cpus = overview.cpus;
        let is_one = overview.buffers.len() < 2;
        let buffer = |buffer: &BufferOverview| {
            let mut prefix = Vec::new();
            if !is_one && !buffer.name.is_empty() {
                push_name(&mut prefix, buffer.name.as_bytes());
                prefix.extend_from_slice(b": ");
            }
            Buffer { prefix, timestamps: buffer.timestamps }
        };
        self.buffers = overview.buffers.iter().map(buffer).collect();
        Ok(())
    }

    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let call = event.text.as_ref().and_then(Printed::call);
        self.fill_gap(Some(event.timestamp))?;
        if self.completes(event, call.as_ref())? {
            return Ok(());
        }
        if let Some(latency) = &mut self.latency {
            latency.next(event.timestamp);
        }
        if let Some(lost) = self.losses.take(event.ring()) {
            self.push_loss(event.ring(), lost)?;
        }
        self.push_buffer(event.buffer);
        let timestamps = self.timestamps(event);
        match &event.text {
            Some(text) if let Some(call) = call => return self.push_call(event, text, &call),
            Some(text) if self.display.style.classic_requests && text.is_request() => {
                push_request(self.lines.line(), event, text);
            }
            Some(text) if text.is_whole_line() || self.is_message_alone(text) => {
                push_named_text(self.lines.line(), event, timestamps, self.display.colour);
            }
            _ if self.display.is_graph && !is_outside_of_graph(event) => self.push_comment(event, timestamps),
            _ => {
                self.push_context(event, timestamps);
                push_named_text(self.lines.line(), event, timestamps, self.display.colour);
            }
        }
        self.lines.end_line()
    }

    fn style(&self) -> Style {
        self.display.style
    }

    fn without_text(&mut self, event: &EventFormat, reason: &TextError) -> Result<(), SinkError> {
        let line = self.lines.line();
        push_shown(
            line,
            Escaped::text(&format!("# {}: shown by its fields: {reason}", event.qualified_name())),
        );
        self.lines.end_line()
    }

    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        // The return of a call that waits may be among those that were lost.
        if let Some(Waiting { call, .. }) = self.lines.waiting(ring) {
            self.graph.called(ring, call, false);
            self.lines.complete(ring, None)?;
        }
        self.losses.note(ring, lost);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.fill_gap(None)?;
        self.lines.flush()
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.fill_gap(None)?;
        self.lines.complete_all()?;
        // The kernel would show them with a later record.
        for (ring, lost) in self.losses.take_all() {
            self.push_loss(ring, lost)?;
        }
        self.flush()
    }
}

/// Appends the columns in front of the time.
fn push_columns(line: &mut Vec<u8>, event: &Event<'_>, has_flags: bool, has_colour: bool) {
    push_colour(line, TASK, has_colour);
    push_right(line, event.comm, COMM_WIDTH);
    line.push(b'-');
    push_padded_right(line, event.record.common_pid(), PID_WIDTH);
    line.push(b' ');
    push_colour(line, PLAIN, has_colour);
    push_cpu(line, event.cpu);
    line.push(b' ');
    if has_flags {
        line.extend_from_slice(&flags::of_kernel(event.record));
        line.push(b' ');
    }
}

/// Appends a time: `trace_print_time`.
fn push_time(line: &mut Vec<u8>, timestamp: u64, timestamps: Timestamps) {
    match timestamps {
        Timestamps::Nanoseconds => push_seconds(line, timestamp, SECONDS_WIDTH),
        Timestamps::Raw => push_shown(line, format_args!("{timestamp:>RAW_WIDTH$}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::BufferOverview;
    use super::super::super::testing::{Sample, Shared};
    use super::*;

    fn written(overview: &Overview, write: impl FnOnce(&mut dyn Sink)) -> String {
        let shared = Shared::default();
        let mut sink = KERNEL_LAYOUT.sink(Box::new(shared.clone()), Timestamps::Nanoseconds);
        sink.begin(overview).unwrap();
        write(&mut *sink);
        sink.finish().unwrap();
        shared.text()
    }

    fn buffer(name: &str, timestamps: Timestamps) -> BufferOverview {
        BufferOverview { name: name.to_owned(), timestamps, ..BufferOverview::default() }
    }

    #[test]
    fn record_is_a_line_of_the_kernel() {
        let text = written(&Overview::default(), |sink| {
            Sample::new(b"a b\n", -3, 12).give(sink, 7_000_041_500, b"bash", None);
            Sample::new(b"", 0, 1).named("test", "other").give(sink, 12_345_678_000_000_000, b"x", None);
        });
        let expected = "            bash-12      [002] .....     7.000042: sample: a b\\x0a\n               \
            x-1       [002] ..... 12345678.000000: other: \n";
        assert_eq!(text, expected);
    }

    #[test]
    fn line_break_of_a_print_fmt_is_one_more() {
        let text = written(&Overview::default(), |sink| {
            let sample = Sample::new(b"x", 1, 1).printed_by("\"%s\n\", REC->name");
            sample.give(sink, 1_000, b"c", None);
        });
        assert!(text.ends_with(": sample: x\n\n"), "{text:?}");
    }

    #[test]
    fn event_without_text_says_why() {
        let text = written(&Overview::default(), |sink| {
            let mut format = Sample::new(b"x", 1, 0).format().clone();
            format.print_fmt = "\"%d\", REC->gone".into();
            let error =
                tracec_kernel::text::Text::compile(&format, &tracec_kernel::text::Nothing).unwrap_err();
            sink.without_text(&format, &error).unwrap();
        });
        let expected = "# test:sample: shown by its fields: bytes 6 to 15 of the print fmt: \
            the event has no field `gone`\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn buffers_have_names_and_clocks_of_their_own() {
        let buffers = vec![buffer("", Timestamps::Nanoseconds), buffer("a", Timestamps::Raw)];
        let text = written(&Overview { buffers, ..Overview::default() }, |sink| {
            let sample = Sample::new(b"x", 1, 1);
            sample.give(sink, 5_000, b"c", None);
            sample.give_in(1, sink, 5_000, b"c", None);
        });
        let expected = "               c-1       [002] .....     0.000005: sample: x\na:                \
            c-1       [002] .....         5000: sample: x\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn loss_is_in_front_of_the_next_record_of_its_ring() {
        let text = written(&Overview::default(), |sink| {
            let sample = Sample::new(b"x", 1, 1);
            sink.lost(Ring { buffer: 0, cpu: 2 }, Lost::Count(255)).unwrap();
            sink.lost(Ring { buffer: 0, cpu: 1 }, Lost::Unknown).unwrap();
            sample.give(sink, 1_000, b"c", None);
            sample.give(sink, 2_000, b"c", None);
        });
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0], lines[3]), (4, "CPU:2 [LOST 255 EVENTS]", "CPU:1 [LOST EVENTS]"));
    }
}
