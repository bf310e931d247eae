//! The layout `kernel`: the lines of the kernel's file `trace`, without its header (`print_trace_line` and
//! `trace_print_context`, kernel/trace/trace.c and trace_output.c).
//!
//! `comm-pid [cpu] flags seconds: event: TEXT`, where system calls and the records of tracers have no name of an event. A
//! loss is `CPU:0 [LOST 255 EVENTS]`. Where a recording has several buffers, each line begins with the name of its own.

use std::io::Write;

use tracec_kernel::escaped::Escaped;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::text::{Style, TextError};

use super::super::lines::{
    Lines, push_cpu, push_fields, push_name, push_padded_right, push_right, push_seconds, push_shown,
    push_text,
};
use super::super::text::Timestamps;
use super::super::{Event, Form, Overview, Ring, Sink, SinkError};
use super::flags;
use super::losses::Losses;

/// The layout of the kernel.
pub static KERNEL_LAYOUT: Form = Form {
    name: "kernel",
    about: "the lines of the kernel's file `trace`",
    sink: |out, timestamps| {
        Box::new(Kernel { timestamps, ..Kernel::new(Lines::new(out), Display::default()) })
    },
};

/// What the lines of the kernel show, by its trace options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Display {
    /// The style of texts: `sym-offset`, `sym-addr`, `print-parent`.
    pub style: Style,
    /// `context-info`: the task, the CPU and the time.
    pub context: bool,
    /// `irq-info`: the flags behind the CPU.
    pub flags: bool,
}

impl Default for Display {
    /// Returns what a kernel shows whose options nobody has changed.
    fn default() -> Self {
        Display { style: Style::default(), context: true, flags: true }
    }
}

/// Returns a sink of the layout `kernel` with trace options.
pub fn kernel_layout(out: Box<dyn Write + Send>, display: Display) -> Box<dyn Sink> {
    Box::new(Kernel::new(Lines::new(out), display))
}

/// The width to which names are right-aligned.
const COMM_WIDTH: usize = 16;
/// The width of pids.
const PID_WIDTH: usize = 7;
/// The width of seconds.
const SECONDS_WIDTH: usize = 5;
/// The width of numbers of a clock that does not count nanoseconds.
const RAW_WIDTH: usize = 12;

struct Kernel {
    lines: Lines,
    display: Display,
    /// The notation where nothing is known of the buffers.
    timestamps: Timestamps,
    buffers: Vec<(String, Timestamps)>,
    losses: Losses,
}

impl Kernel {
    fn new(lines: Lines, display: Display) -> Self {
        let timestamps = Timestamps::Nanoseconds;
        Kernel { lines, display, timestamps, buffers: Vec::new(), losses: Losses::default() }
    }

    /// Begins a line of a buffer with its name, if there are several.
    fn push_buffer(&mut self, buffer: u32) {
        if self.buffers.len() < 2 {
            return;
        }
        let Some((name, _)) = self.buffers.get(buffer as usize).filter(|(name, _)| !name.is_empty()) else {
            return;
        };
        push_name(self.lines.line(), name.as_bytes());
        self.lines.line().extend_from_slice(b": ");
    }

    fn push_loss(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.push_buffer(ring.buffer);
        let (line, cpu) = (self.lines.line(), ring.cpu);
        match lost {
            Lost::Count(count) => push_shown(line, format_args!("CPU:{cpu} [LOST {count} EVENTS]")),
            _ => push_shown(line, format_args!("CPU:{cpu} [LOST EVENTS]")),
        }
        self.lines.end_line()
    }
}

impl Sink for Kernel {
    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        self.buffers =
            overview.buffers.iter().map(|buffer| (buffer.name.clone(), buffer.timestamps)).collect();
        Ok(())
    }

    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        if let Some(lost) = self.losses.take(event.ring()) {
            self.push_loss(event.ring(), lost)?;
        }
        self.push_buffer(event.buffer);
        let timestamps =
            self.buffers.get(event.buffer as usize).map_or(self.timestamps, |(_, notation)| *notation);
        let (line, display) = (self.lines.line(), self.display);
        if display.context {
            push_context(line, event, timestamps, display.flags);
        }
        match &event.text {
            Some(text) => {
                if text.follows_name() {
                    push_name(line, event.record.format.name.as_bytes());
                    line.extend_from_slice(b": ");
                }
                push_text(line, text);
            }
            None => {
                push_name(line, event.record.format.name.as_bytes());
                line.push(b':');
                push_fields(line, event.record);
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
        self.losses.note(ring, lost);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.lines.flush()
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        // The kernel would show them with a later record.
        for (ring, lost) in self.losses.take_all() {
            self.push_loss(ring, lost)?;
        }
        self.flush()
    }
}

/// Appends what stands in front of each record.
fn push_context(line: &mut Vec<u8>, event: &Event<'_>, timestamps: Timestamps, has_flags: bool) {
    push_right(line, event.comm, COMM_WIDTH);
    line.push(b'-');
    push_padded_right(line, event.record.common_pid(), PID_WIDTH);
    line.push(b' ');
    push_cpu(line, event.cpu);
    line.push(b' ');
    if has_flags {
        line.extend_from_slice(&flags::of_kernel(event.record));
        line.push(b' ');
    }
    match timestamps {
        Timestamps::Nanoseconds => push_seconds(line, event.timestamp, SECONDS_WIDTH),
        Timestamps::Raw => push_shown(line, format_args!("{:>RAW_WIDTH$}", event.timestamp)),
    }
    line.extend_from_slice(b": ");
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
    fn event_without_text_says_why() {
        let text = written(&Overview::default(), |sink| {
            let mut format = Sample::new(b"x", 1, 0).format().clone();
            format.print_fmt = "\"%d\", REC->gone".to_owned();
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
