//! Events, records and contexts for the tests of filters.

use std::ops::Range;

use tracec_kernel::condition::context::Context;
use tracec_kernel::filter::Model;
use tracec_kernel::format::EventFormat;
use tracec_oracle::filter::{Filter, ParseContext, Refusal};

mod addresses;
mod answers;
mod cpus;
mod numbers;
mod refusals;
mod texts;

const MODELS: [(&str, Model); 3] =
    [("6.1", Model::LINUX_6_1), ("6.12", Model::LINUX_6_12), ("6.18", Model::LINUX_6_18)];

/// The only function of every kernel here.
const SCHEDULE: Range<u64> = 0xffff_ffff_8100_0000..0xffff_ffff_8100_0100;

/// A kernel with two CPUs, built for eight, and one function.
const CONTEXT: ParseContext<'static> = ParseContext {
    nr_cpu_ids: 2,
    nr_cpus: 8,
    function_named: &|name| (name == "schedule").then_some(SCHEDULE),
    function_at: &|address| SCHEDULE.contains(&address).then_some(SCHEDULE),
};

/// Returns an event of fields `TYPE NAME; OFFSET SIZE SIGNED`, one a line.
fn event(system: &str, name: &str, fields: &str) -> EventFormat {
    let common = "unsigned short common_type; 0 2 0
        unsigned char common_flags; 2 1 0
        unsigned char common_preempt_count; 3 1 0
        int common_pid; 4 4 1";
    let lines = |fields: &str| {
        let line = |line: &str| {
            let (declaration, layout) = line.trim().split_once("; ").unwrap();
            let [offset, size, signed] = layout.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            format!("\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};\n")
        };
        fields.lines().map(line).collect::<String>()
    };
    let text =
        format!("name: {name}\nID: 7\nformat:\n{}\n{}\nprint fmt: \"\"\n", lines(common), lines(fields));
    EventFormat::parse(system, &text).unwrap()
}

/// Returns the events of `data/filter-answers-*.txt`.
fn real_event(name: &str) -> EventFormat {
    let fields = match name {
        "sched:sched_switch" => {
            "char prev_comm[16]; 8 16 0
            pid_t prev_pid; 24 4 1
            int prev_prio; 28 4 1
            long prev_state; 32 8 1
            char next_comm[16]; 40 16 0
            pid_t next_pid; 56 4 1
            int next_prio; 60 4 1"
        }
        "syscalls:sys_enter_openat" => {
            "int __syscall_nr; 8 4 1
            int dfd; 16 8 0
            const char * filename; 24 8 0
            int flags; 32 8 0
            umode_t mode; 40 8 0"
        }
        "ipi:ipi_send_cpumask" => {
            "__data_loc cpumask_t cpumask; 8 4 0
            void * callsite; 16 8 0
            void * callback; 24 8 0"
        }
        "sched:sched_process_exec" => {
            "__data_loc char[] filename; 8 4 0
            pid_t pid; 12 4 1
            pid_t old_pid; 16 4 1"
        }
        other => panic!("no fields of {other}"),
    };
    let (system, name) = name.split_once(':').unwrap();
    event(system, name, fields)
}

/// Returns an event with a field of each kind.
fn everything() -> EventFormat {
    event(
        "test",
        "everything",
        "s8 s8; 8 1 1
        u8 u8; 9 1 0
        s16 s16; 10 2 1
        u16 u16; 12 2 0
        u8 odd[6]; 14 6 0
        s32 s32; 20 4 1
        u32 u32; 24 4 0
        struct pair three; 28 3 0
        s64 s64; 32 8 1
        u64 u64; 40 8 0
        char name[8]; 48 8 0
        unsigned char addr[6]; 56 6 0
        const char * pointer; 64 8 0
        __data_loc char[] text; 72 4 0
        __rel_loc char rel[]; 76 4 0
        __data_loc cpumask_t mask; 80 4 0
        char rest[]; 84 0 0",
    )
}

/// A record of [`everything`], zero except for the values that are put into it.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn new() -> Bytes {
        Bytes(vec![0; 84])
    }

    fn put(mut self, offset: usize, bytes: &[u8]) -> Bytes {
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Adds bytes at the end.
    fn tail(mut self, bytes: &[u8]) -> Bytes {
        self.0.extend(bytes);
        self
    }

    /// Writes `length` and the offset of the next data into the word at `offset`, relative to `base`.
    fn located(self, offset: usize, base: usize, length: usize) -> Bytes {
        let word = (length << 16 | (self.0.len() - base)) as u32;
        self.put(offset, &word.to_ne_bytes())
    }
}

/// The state of the kernel while the event fires. There are strings at the addresses 1000 (kernel) and 2000 (user).
#[derive(Default)]
struct Moment {
    cpu: u32,
    comm: &'static str,
    text: Vec<u8>,
}

impl Context for Moment {
    fn cpu(&self) -> Option<u32> {
        Some(self.cpu)
    }

    fn comm(&self) -> Option<&[u8]> {
        Some(self.comm.as_bytes())
    }

    fn kernel_text(&self, address: u64) -> Option<&[u8]> {
        (address == 1000).then_some(&self.text)
    }

    fn user_text(&self, address: u64) -> Option<&[u8]> {
        (address == 2000).then_some(&self.text)
    }

    fn function(&self, name: &str) -> Option<Range<u64>> {
        (CONTEXT.function_named)(name)
    }
}

fn parse(text: &str, event: &EventFormat, model: &Model) -> Result<Filter, Refusal> {
    Filter::parse(text.as_bytes(), event, model, &CONTEXT)
}

/// Asserts for filters of 6.18 whether a record of [`everything`] passes.
fn assert_matches(record: &Bytes, moment: &Moment, passes: &[&str], fails: &[&str]) {
    let event = everything();
    for (texts, expected) in [(passes, true), (fails, false)] {
        for text in texts {
            let filter =
                parse(text, &event, &Model::LINUX_6_18).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(filter.matches(&record.0, moment), expected, "{text}");
        }
    }
}
