//! The form [`FIELDS`]: `comm-pid [cpu] seconds: system:event: field=value ..`, one line per record. The frames of a stack
//! follow on lines of their own; a loss is written as `# 255 events lost on cpu 0`.

use tracec_kernel::append::push_decimal;
use tracec_kernel::page::Lost;

use super::lines::{
    Lines, push_cpu, push_fields, push_name, push_padded_right, push_right, push_seconds, push_shown,
};
use super::{Event, Form, Ring, Sink, SinkError};

/// The form for people who want the fields as they are. No plan names it: it takes the place of [`TEXT`](super::TEXT).
pub static FIELDS: Form = Form {
    name: "fields",
    about: "one line a record, `field=value`",
    sink: |out, timestamps| Box::new(Fields { lines: Lines::new(out), timestamps }),
};

/// The width to which names are right-aligned, TASK_COMM_LEN.
const COMM_WIDTH: usize = 16;

/// The width of pids.
const PID_WIDTH: usize = 7;

/// A notation of time stamps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timestamps {
    /// Seconds with six decimals, rounded: the clock counts nanoseconds.
    #[default]
    Nanoseconds,
    /// The plain number: the clock counts something else.
    Raw,
}

impl Timestamps {
    /// Returns the notation for a trace clock. An unknown clock gives raw numbers.
    pub fn of_clock(clock: &str) -> Self {
        use tracec_kernel::tables::clocks::{self, ClockUnit};
        match clocks::find(clock).map(|clock| clock.unit) {
            Some(ClockUnit::Nanoseconds) => Timestamps::Nanoseconds,
            _ => Timestamps::Raw,
        }
    }

    /// Returns the notation that trace-cmd has for a clock (`is_timestamp_in_us` of libtraceevent's event-parse.c): it takes
    /// the stamps of `uptime` for nanoseconds, and does not know `boot`.
    pub fn of_trace_cmd(clock: &str) -> Self {
        match clock {
            "boot" => Timestamps::Raw,
            "uptime" => Timestamps::Nanoseconds,
            other => Timestamps::of_clock(other),
        }
    }

    /// Returns a time, or the distance of two, in this notation.
    pub fn shown(self, time: u64) -> String {
        let mut line = Vec::new();
        self.push(&mut line, time);
        String::from_utf8_lossy(&line).into_owned()
    }

    fn push(self, line: &mut Vec<u8>, time: u64) {
        match self {
            Timestamps::Nanoseconds => push_seconds(line, time, 0),
            Timestamps::Raw => push_decimal(line, time),
        }
    }
}

struct Fields {
    lines: Lines,
    timestamps: Timestamps,
}

impl Sink for Fields {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        let line = self.lines.line();
        push_head(line, event, self.timestamps);
        match event.stack {
            None => push_fields(line, event.record),
            Some(frames) => frames.iter().for_each(|frame| {
                push_frame(line);
                match frame.symbol {
                    Some((name, offset)) => {
                        push_name(line, name.as_bytes());
                        push_shown(line, format_args!("+{offset:#x}"));
                    }
                    None => push_shown(line, frame),
                }
            }),
        }
        self.lines.end_line()
    }

    fn needs_text(&self) -> bool {
        false
    }

    fn lost(&mut self, Ring { cpu, .. }: Ring, lost: Lost) -> Result<(), SinkError> {
        if lost == Lost::None {
            return Ok(());
        }
        push_loss(self.lines.line(), cpu, lost);
        self.lines.end_line()
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.lines.flush()
    }
}

/// Appends what stands in front of the name of an event.
pub(super) fn push_context(
    line: &mut Vec<u8>,
    (comm, pid): (&[u8], i32),
    cpu: u32,
    (timestamps, timestamp): (Timestamps, u64),
) {
    push_right(line, comm, COMM_WIDTH);
    line.push(b'-');
    push_padded_right(line, pid, PID_WIDTH);
    line.push(b' ');
    push_cpu(line, cpu);
    line.push(b' ');
    timestamps.push(line, timestamp);
    line.extend_from_slice(b": ");
}

fn push_head(line: &mut Vec<u8>, event: &Event<'_>, timestamps: Timestamps) {
    let task = (event.comm, event.record.common_pid());
    push_context(line, task, event.cpu, (timestamps, event.timestamp));
    push_name(line, event.record.format.system.as_bytes());
    line.push(b':');
    push_name(line, event.record.format.name.as_bytes());
    line.push(b':');
}

/// Appends what begins the line of a frame of a stack.
pub(super) fn push_frame(line: &mut Vec<u8>) {
    line.extend_from_slice(b"\n    => ");
}

/// Appends the line of a loss.
pub(super) fn push_loss(line: &mut Vec<u8>, cpu: u32, lost: Lost) {
    match lost {
        Lost::None => {}
        Lost::Unknown => {
            push_shown(line, format_args!("# events lost on cpu {cpu}, their number is unknown"))
        }
        Lost::Count(1) => push_shown(line, format_args!("# 1 event lost on cpu {cpu}")),
        Lost::Count(count) => push_shown(line, format_args!("# {count} events lost on cpu {cpu}")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sample, Shared};
    use super::*;
    use crate::sink::Frame;

    fn written(timestamps: Timestamps, write: impl FnOnce(&mut Fields)) -> String {
        let shared = Shared::default();
        let mut sink = Fields { lines: Lines::new(Box::new(shared.clone())), timestamps };
        write(&mut sink);
        sink.finish().unwrap();
        shared.text()
    }

    #[test]
    fn record_is_one_line() {
        let sample = Sample::new(b"a b\n\xff", -3, 12);
        let text = written(Timestamps::Nanoseconds, |sink| {
            sample.give(sink, 7_000_041_500, b"bash", None);
        });
        assert_eq!(
            text,
            "            bash-12      [002] 7.000042: test:sample: name=\"a b\\x0a\\xff\" code=-3 at=0xffffffff81000010\n"
        );
    }

    #[test]
    fn time_stamps_of_clocks_without_a_unit_are_raw() {
        let sample = Sample::new(b"x", 1, 0);
        let text = written(Timestamps::Raw, |sink| sample.give(sink, 42, b"a\nb\\\x80", None));
        assert_eq!(
            text,
            "           a\\x0ab\\x5c\\x80-0       [002] 42: test:sample: name=x code=1 at=0xffffffff81000010\n"
        );
    }

    #[test]
    fn names_of_a_recording_stay_on_their_line() {
        let sample = Sample::new(b"x", 1, 0).named("a\n\u{1b}[2J", "b\u{202e}");
        let frames = [Frame { address: 16, symbol: Some(("do\u{1b}it", 4)) }];
        let text = written(Timestamps::Raw, |sink| {
            sample.give(sink, 1, b"c", None);
            sample.give(sink, 2, b"c", Some(&frames));
        });
        let head = "               c-0       [002]";
        let name = "a\\x0a\\x1b[2J:b\\xe2\\x80\\xae:";
        let fields = "name=x code=1 at=0xffffffff81000010";
        assert_eq!(text, format!("{head} 1: {name} {fields}\n{head} 2: {name}\n    => do\\x1bit+0x4\n"));
    }

    #[test]
    fn stack_and_loss_have_lines_of_their_own() {
        let sample = Sample::new(b"x", 1, 0);
        let frames = [Frame { address: 16, symbol: Some(("do_it", 4)) }, Frame { address: 16, symbol: None }];
        let text = written(Timestamps::Nanoseconds, |sink| {
            sink.lost(Ring { buffer: 0, cpu: 0 }, Lost::None).unwrap();
            sink.lost(Ring { buffer: 0, cpu: 0 }, Lost::Count(255)).unwrap();
            sink.lost(Ring { buffer: 0, cpu: 1 }, Lost::Count(1)).unwrap();
            sink.lost(Ring { buffer: 0, cpu: 2 }, Lost::Unknown).unwrap();
            sample.give(sink, 1000, b"<idle>", Some(&frames));
        });
        let expected = "# 255 events lost on cpu 0\n# 1 event lost on cpu 1\n\
            # events lost on cpu 2, their number is unknown\n          \
            <idle>-0       [002] 0.000001: test:sample:\n    => do_it+0x4\n    => 0x10\n";
        assert_eq!(text, expected);
    }
}
