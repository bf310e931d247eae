//! The control files of an instance that tracec reads and writes: `init_tracer_tracefs` in kernel/trace/trace.c,
//! `event_create_dir` in kernel/trace/trace_events.c.

/// A control file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlFile {
    /// Its path in an instance; words in capitals, and `N`, stand for names and numbers.
    pub name: &'static str,
    /// The syntax of a write; `None` if it cannot be written.
    pub syntax: Option<&'static str>,
    /// Its content in a new instance, where all kernels agree.
    pub default: Option<&'static str>,
    /// Whether it must be read with one large read(2): at any offset except 0 it returns nothing (`event_filter_read`,
    /// `show_header` in kernel/trace/trace_events.c).
    pub one_read: bool,
    /// Whether a write of the value that it shows ([`shown_value`](crate::plan::Location::shown_value)) puts it back
    /// as it was. Only such a file may be written at the top level, which other programs use too.
    pub restorable: bool,
    /// Side effects of writing it or holding it open.
    pub effects: &'static str,
}

/// The file that takes markers.
pub const TRACE_MARKER: &str = "trace_marker";
/// The option without which an instance takes no markers.
pub const MARKERS: &str = "options/markers";
/// The file of the size of each CPU's ring.
pub const BUFFER_SIZE: &str = "buffer_size_kb";
/// The file of the size of a ring's parts, from 6.8 on (`buffer_subbuf_size_write` in kernel/trace/trace.c).
pub const SUBBUFFER_SIZE: &str = "buffer_subbuf_size_kb";
/// The file of the number of tasks whose names the kernel remembers, which all instances share
/// (`tracing_saved_cmdlines_size_write` in kernel/trace/trace_sched_switch.c).
pub const CMDLINES_SIZE: &str = "saved_cmdlines_size";
/// The layout of a marker's record (`print_entry` in kernel/trace/trace_entries.h).
pub const MARKER_FORMAT: &str = "events/ftrace/print/format";

/// All of them.
pub const ALL: &[ControlFile] = &[
    ControlFile {
        name: "tracing_on",
        syntax: Some("0, or another decimal number"),
        default: Some("1"),
        one_read: false,
        restorable: true,
        effects: "0 stops writing to the ring and wakes its readers; events stay enabled",
    },
    ControlFile {
        name: "trace_clock",
        syntax: Some("a name of the list it reads; the current one stands in brackets"),
        default: Some("local"),
        one_read: false,
        restorable: true,
        effects: "empties the buffer and its snapshot, even if the clock stays the same",
    },
    ControlFile {
        name: BUFFER_SIZE,
        syntax: Some("KiB per CPU, decimal, above 0"),
        // 1408, or 1410 where the headers of sub-buffers are not counted.
        default: None,
        one_read: false,
        // It shows `7 (expanded: 1408)` before its first use, and `X` where CPUs differ, which no write puts back.
        restorable: true,
        effects: "rounds up to whole sub-buffers; drops records when it shrinks below what is there",
    },
    ControlFile {
        name: SUBBUFFER_SIZE,
        syntax: Some("KiB, decimal, above 0"),
        default: None,
        one_read: false,
        // At the top level the size of the ring would be rounded up with it, and stay so.
        restorable: false,
        effects: "rounds up to a power of two of pages, at most 128; empties the ring and its snapshot",
    },
    ControlFile {
        name: CMDLINES_SIZE,
        syntax: Some("1 to PID_MAX_DEFAULT, decimal"),
        default: None,
        one_read: false,
        restorable: true,
        effects: "of the top level only; forgets the names, and rounds up to whole pages",
    },
    ControlFile {
        name: "buffer_percent",
        syntax: Some("0 to 100"),
        default: Some("50"),
        one_read: false,
        restorable: true,
        effects: "how full the ring must be to wake a waiting reader of pages; 0 is any record",
    },
    ControlFile {
        name: "current_tracer",
        syntax: Some("a name of available_tracers"),
        default: Some("nop"),
        one_read: false,
        // A trace_pipe that is opened meanwhile makes the write fail.
        restorable: false,
        effects: "a different tracer empties the buffer; EBUSY while a trace_pipe is open",
    },
    ControlFile {
        name: "tracing_cpumask",
        syntax: Some("a mask of CPUs in hexadecimal, with a comma after each 8 digits"),
        default: None,
        one_read: false,
        restorable: true,
        effects: "CPUs that are not in it write no records",
    },
    ControlFile {
        name: "error_log",
        syntax: Some("anything, with O_TRUNC: clears it"),
        default: Some(""),
        one_read: false,
        restorable: false,
        effects: "keeps the last 8 errors of filters and hist triggers of this instance",
    },
    ControlFile {
        name: "set_event_notrace_pid",
        syntax: Some(
            "ids of tasks in the first PID namespace, separated by blanks; each write adds to the list",
        ),
        default: Some(""),
        one_read: false,
        restorable: false,
        effects: "events are not recorded while one of these tasks runs, not those of an interrupt either",
    },
    ControlFile {
        name: "set_event_pid",
        syntax: Some(
            "ids of tasks in the first PID namespace, separated by blanks; each write adds to the list",
        ),
        default: Some(""),
        one_read: false,
        restorable: false,
        effects: "events are recorded only while one of these tasks runs; with the option event-fork its new threads \
                  and children are added",
    },
    ControlFile {
        name: TRACE_MARKER,
        syntax: Some("any text; each write is one record"),
        default: None,
        one_read: false,
        restorable: false,
        effects: "EINVAL while the option `markers` is off, EBADF while the ring takes no records",
    },
    ControlFile {
        name: "options/NAME",
        syntax: Some("0 or 1"),
        default: None,
        one_read: false,
        restorable: true,
        effects: "EINVAL if the current tracer refuses it",
    },
    ControlFile {
        name: "events/SYSTEM/EVENT/enable",
        syntax: Some("0 or 1"),
        default: Some("0"),
        one_read: false,
        restorable: true,
        effects: "reads 0* or 1* while a trigger needs the event; enabling expands the buffer",
    },
    ControlFile {
        name: "events/SYSTEM/EVENT/filter",
        syntax: Some("a filter, or 0 for none; less than a page"),
        default: Some("none"),
        one_read: true,
        restorable: true,
        effects: "a text that is refused replaces the old filter, and every record passes",
    },
    ControlFile {
        name: "events/SYSTEM/EVENT/trigger",
        syntax: Some("one command a write: NAME[:COUNT] [if FILTER], or !NAME to remove it"),
        default: None,
        one_read: false,
        restorable: false,
        effects: "arming any trigger makes the kernel trace the event, enabled or not",
    },
    ControlFile {
        name: "events/SYSTEM/EVENT/format",
        syntax: None,
        default: None,
        one_read: false,
        restorable: false,
        effects: "none",
    },
    ControlFile {
        name: "events/header_page",
        syntax: None,
        default: None,
        one_read: true,
        restorable: false,
        effects: "none",
    },
    ControlFile {
        name: "per_cpu/cpuN/trace_pipe_raw",
        syntax: None,
        default: None,
        one_read: false,
        restorable: false,
        effects: "reading consumes; rmdir of the instance is EBUSY while it is open",
    },
    ControlFile {
        name: "per_cpu/cpuN/stats",
        syntax: None,
        default: None,
        one_read: false,
        restorable: false,
        effects: "none",
    },
];

/// Returns the file with this name, as the table spells it.
pub fn find(name: &str) -> Option<&'static ControlFile> {
    ALL.iter().find(|file| file.name == name)
}

/// Returns the file that a path in an instance names: `events/sched/sched_switch/filter`, `options/overwrite`.
pub fn of_path(path: &str) -> Option<&'static ControlFile> {
    ALL.iter().find(|file| {
        let mut parts = path.split('/');
        let matches =
            file.name.split('/').all(|name| parts.next().is_some_and(|part| stands_for(name, part)));
        matches && parts.next().is_none()
    })
}

/// Returns whether a file at the top level may be written: the table has it, and it can be put back.
pub fn is_restorable(path: &str) -> bool {
    of_path(path).is_some_and(|file| file.restorable)
}

fn stands_for(name: &str, part: &str) -> bool {
    match name {
        "SYSTEM" | "EVENT" | "NAME" => !part.is_empty(),
        "cpuN" => part
            .strip_prefix("cpu")
            .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())),
        name => name == part,
    }
}

/// Returns the names of all files, as the table spells them.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|file| file.name)
}
