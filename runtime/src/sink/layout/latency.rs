//! The columns of the option `latency-format`: `trace_print_lat_context` and `lat_print_timestamp`
//! (kernel/trace/trace_output.c).

use tracec_kernel::text::mark;

use super::super::Event;
use super::super::lines::{push_padded_right, push_right, push_shown};
use super::super::text::Timestamps;
use super::flags;

/// The form of the option `latency-format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Latency {
    /// `verbose`: longer columns, with the number of the record and the time to the next one.
    pub verbose: bool,
    /// The time from which times are counted; by default that of the first record. The kernel counts from the beginning of
    /// the longest latency, or from when the buffer was emptied, and no recording says when that was.
    pub begin: Option<u64>,
}

/// The width of names, to which they are cut.
const COMM_WIDTH: usize = 8;
/// The width of pids behind a name.
const PID_WIDTH: usize = 7;

/// The columns of one record after another.
#[derive(Debug)]
pub(super) struct LatencyColumns {
    form: Latency,
    /// The number of the record, from 0.
    index: u64,
    /// The time from which times are counted, once it is known.
    begin: Option<u64>,
    /// The time of the record whose line waits for the next one, in its notation.
    waiting: Option<(u64, Timestamps)>,
}

impl LatencyColumns {
    pub(super) fn new(form: Latency) -> Self {
        LatencyColumns { form, index: u64::MAX, begin: form.begin, waiting: None }
    }

    /// Counts a record that has a line.
    pub(super) fn next(&mut self, timestamp: u64) {
        self.index = self.index.wrapping_add(1);
        self.begin.get_or_insert(timestamp);
    }

    /// Appends the columns of a record up to what the next one decides. Returns whether it decides anything: then the
    /// [end](Self::push_end) follows.
    pub(super) fn push(&mut self, line: &mut Vec<u8>, event: &Event<'_>, timestamps: Timestamps) -> bool {
        let (record, cpu, timestamp) = (event.record, event.cpu, event.timestamp);
        let time = timestamp.saturating_sub(self.begin.unwrap_or(timestamp));
        if self.form.verbose {
            push_right(line, event.comm, 2 * COMM_WIDTH);
            let depth = record.common_preempt_count() & 0xf;
            push_shown(line, format_args!(" {:>7} {cpu:>3} {}", record.common_pid(), record.common_flags()));
            push_shown(line, format_args!(" {depth:08x} {:08x} ", self.index));
        } else {
            push_right(line, event.comm.get(..COMM_WIDTH).unwrap_or(event.comm), COMM_WIDTH);
            line.push(b'-');
            push_padded_right(line, record.common_pid(), PID_WIDTH);
            push_shown(line, format_args!(" {cpu:>3}"));
            line.extend_from_slice(&flags::of_kernel(record));
        }
        match (timestamps, self.form.verbose) {
            (Timestamps::Nanoseconds, true) => {
                push_shown(line, format_args!("[{:08x}] ", microseconds(timestamp)));
                push_milliseconds(line, time);
                line.extend_from_slice(b" (+");
            }
            (Timestamps::Nanoseconds, false) => {
                push_shown(line, format_args!(" {:>4}us", microseconds(time)));
            }
            (Timestamps::Raw, true) => push_shown(line, format_args!("[{timestamp:016x}] {time} (+")),
            (Timestamps::Raw, false) => {
                push_shown(line, format_args!(" {time:>4}: "));
                return false;
            }
        }
        self.waiting = Some((timestamp, timestamps));
        true
    }

    /// Appends what stands behind the part that the next record decides.
    pub(super) fn push_end(&self, line: &mut Vec<u8>) {
        line.extend_from_slice(if self.form.verbose { b"): " } else { b": " });
    }

    /// Returns what the time of the next record adds to the line that waits, if one does.
    pub(super) fn gap(&mut self, next: Option<u64>) -> Option<Vec<u8>> {
        let (timestamp, timestamps) = self.waiting.take()?;
        let distance = next.map_or(0, |next| next.saturating_sub(timestamp));
        let mut text = Vec::new();
        match (timestamps, self.form.verbose) {
            (Timestamps::Nanoseconds, true) => push_milliseconds(&mut text, distance),
            (Timestamps::Raw, _) => push_shown(&mut text, distance),
            (Timestamps::Nanoseconds, false) => {
                text.push(mark(microseconds(distance).saturating_mul(1000)));
            }
        }
        Some(text)
    }
}

/// Rounds nanoseconds: `ns2usecs` (kernel/trace/trace.c).
fn microseconds(nanoseconds: u64) -> u64 {
    nanoseconds.saturating_add(500) / 1000
}

fn push_milliseconds(line: &mut Vec<u8>, nanoseconds: u64) {
    let microseconds = microseconds(nanoseconds);
    push_shown(line, format_args!("{}.{:03}ms", microseconds / 1000, microseconds % 1000));
}
