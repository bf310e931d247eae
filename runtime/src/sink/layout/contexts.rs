//! The columns in front of a record, up to its time, as a layout writes them. A task has many records in a second, and few
//! tasks run at a time: most columns are those of an earlier record.

use tracec_kernel::append::{push_short, push_six_digits};

use super::super::Event;
use super::super::lines::{microseconds, push_shown};
use super::super::text::Timestamps;

/// The width to which names are right-aligned.
pub(super) const COMM_WIDTH: usize = 16;
/// The width of seconds.
pub(super) const SECONDS_WIDTH: usize = 5;
/// The width of numbers of a clock that does not count nanoseconds.
pub(super) const RAW_WIDTH: usize = 12;

/// The number of contexts that are remembered is 2 to this power.
const BITS: u32 = 8;

/// The columns of the last contexts.
#[derive(Debug)]
pub(super) struct Contexts {
    written: Vec<Written>,
}

/// What the columns depend on, beside the name of the task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Context {
    pid: i32,
    cpu: u32,
    flags: u8,
    preempt_count: u8,
    /// The whole seconds of the time, unless the clock does not count nanoseconds.
    second: Option<u64>,
}

impl Context {
    /// Returns the place of a context: the top bits of a product (Knuth's multiplicative hashing).
    fn place(&self) -> usize {
        let Context { pid, cpu, flags, preempt_count, .. } = *self;
        let of_task = u64::from(pid as u32) | u64::from(cpu) << 48;
        let key = of_task ^ u64::from(flags) << 32 ^ u64::from(preempt_count) << 40;
        (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - BITS)) as usize
    }
}

#[derive(Clone, Debug, Default)]
struct Written {
    context: Option<Context>,
    comm: Vec<u8>,
    /// What is written for them, with the whole seconds and the point.
    text: Vec<u8>,
}

impl Contexts {
    pub(super) fn new() -> Self {
        Contexts { written: vec![Written::default(); 1 << BITS] }
    }

    /// Appends the columns of a record whose task has a name, its time and `: ` to a line. `columns` appends those in front of
    /// the time, which depend on nothing but the name, the pid, the CPU, the flags and the notation of the time.
    pub(super) fn push(
        &mut self,
        line: &mut Vec<u8>,
        (event, comm): (&Event<'_>, &[u8]),
        timestamps: Timestamps,
        columns: impl FnOnce(&mut Vec<u8>),
    ) {
        let time = match timestamps {
            Timestamps::Nanoseconds => Some(microseconds(event.timestamp)),
            Timestamps::Raw => None,
        };
        let context = Context {
            pid: event.record.common_pid(),
            cpu: event.cpu,
            flags: event.record.common_flags(),
            preempt_count: event.record.common_preempt_count(),
            second: time.map(|time| time / 1_000_000),
        };
        let Some(written) = self.written.get_mut(context.place()) else { return };
        if written.context != Some(context) || written.comm != comm {
            written.context = Some(context);
            written.comm.clear();
            written.comm.extend_from_slice(comm);
            written.text.clear();
            columns(&mut written.text);
            if let Some(second) = context.second {
                push_shown(&mut written.text, format_args!("{second:>SECONDS_WIDTH$}."));
            }
        }
        push_short(line, &written.text);
        match time {
            Some(time) => push_six_digits(line, (time % 1_000_000) as u32, *b": "),
            None => push_shown(line, format_args!("{:>RAW_WIDTH$}: ", event.timestamp)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Sample;
    use super::super::super::{Sink, SinkError};
    use super::*;

    /// Writes names and nothing else in front of the time.
    struct Names(Contexts, Timestamps, Vec<u8>);

    impl Sink for Names {
        fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
            let Names(contexts, timestamps, out) = self;
            let columns = |line: &mut Vec<u8>| line.extend_from_slice(event.comm);
            contexts.push(out, (event, event.comm), *timestamps, columns);
            Ok(())
        }
    }

    fn written(timestamps: Timestamps, records: &[(&str, i32, u64)]) -> String {
        let mut names = Names(Contexts::new(), timestamps, Vec::new());
        for (comm, pid, timestamp) in records {
            Sample::new(b"x", 1, *pid).give(&mut names, *timestamp, comm.as_bytes(), None);
        }
        String::from_utf8(names.2).unwrap()
    }

    #[test]
    fn columns_are_those_of_the_task_with_its_present_name() {
        let records =
            [("a", 1, 0), ("a", 1, 1_000), ("b", 1, 2_499), ("b", -1, 2_500), ("a", 1, 3_000), ("", 0, 0)];
        let times =
            ["a    0.000000: ", "a    0.000001: ", "b    0.000002: ", "b    0.000003: ", "a    0.000003: "];
        assert_eq!(written(Timestamps::Nanoseconds, &records), times.concat() + "    0.000000: ");
        let times =
            ["a           0: ", "a        1000: ", "b        2499: ", "b        2500: ", "a        3000: "];
        assert_eq!(written(Timestamps::Raw, &records), times.concat() + "           0: ");
    }

    #[test]
    fn each_second_has_its_own_number() {
        let records =
            [("a", 1, 999_999_499), ("a", 1, 999_999_500), ("a", 1, u64::MAX), ("a", 1, 1_000_000_000)];
        let expected = "a    0.999999: a    1.000000: a18446744073.709551: a    1.000000: ";
        assert_eq!(written(Timestamps::Nanoseconds, &records), expected);
    }

    #[test]
    fn many_tasks_have_columns_of_their_own() {
        let names: Vec<String> = (0..4 << BITS).map(|pid| format!("n{}", pid % (3 << BITS))).collect();
        let records: Vec<_> =
            (0..).zip(&names).map(|(pid, name)| (name.as_str(), pid % (3 << BITS), 0)).collect();
        let expected: String = names.iter().map(|name| format!("{name}    0.000000: ")).collect();
        assert_eq!(written(Timestamps::Nanoseconds, &records), expected);
    }
}
