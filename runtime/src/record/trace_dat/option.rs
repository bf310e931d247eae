//! The ids of options and sections (lib/trace-cmd/include/private/trace-cmd-private.h), and their names.

/// The end of the options of a section; as the id of a section, options.
pub const DONE: u16 = 0;
/// Microseconds that are added to each time, as text.
pub const DATE: u16 = 1;
/// `per_cpu/cpuN/stats` of a CPU.
pub const CPUSTAT: u16 = 2;
/// Where the pages of a buffer are.
pub const BUFFER: u16 = 3;
/// `trace_clock`.
pub const TRACECLOCK: u16 = 4;
/// uname(2) of the traced machine.
pub const UNAME: u16 = 5;
/// Nanoseconds that are added to each time, as text.
pub const OFFSET: u16 = 7;
/// The number of CPUs of the machine.
pub const CPUCOUNT: u16 = 8;
/// The program that recorded.
pub const VERSION: u16 = 9;
/// A number that all files of a recording have.
pub const TRACEID: u16 = 11;
/// How the times of each CPU of a guest become those of its host.
pub const TIME_SHIFT: u16 = 12;
/// How ticks of the time stamp counter become nanoseconds.
pub const TSC2NSEC: u16 = 14;
/// Texts that describe sections.
pub const STRINGS: u16 = 15;
/// The layouts of a page and of an entry.
pub const HEADER_INFO: u16 = 16;
/// The layouts of the records that tracers write.
pub const FTRACE_EVENTS: u16 = 17;
/// The layouts of events.
pub const EVENT_FORMATS: u16 = 18;
/// `/proc/kallsyms`.
pub const KALLSYMS: u16 = 19;
/// `printk_formats`.
pub const PRINTK: u16 = 20;
/// `saved_cmdlines`.
pub const CMDLINES: u16 = 21;
/// The text of a latency tracer.
pub const BUFFER_TEXT: u16 = 22;
/// The types of the kernel (BTF).
pub const BTF_FILE: u16 = 23;

/// The names by id, from 0.
const NAMES: [&str; 26] = [
    "DONE",
    "DATE",
    "CPUSTAT",
    "BUFFER",
    "TRACECLOCK",
    "UNAME",
    "HOOK",
    "OFFSET",
    "CPUCOUNT",
    "VERSION",
    "PROCMAPS",
    "TRACEID",
    "TIME_SHIFT",
    "GUEST",
    "TSC2NSEC",
    "STRINGS",
    "HEADER_INFO",
    "FTRACE_EVENTS",
    "EVENT_FORMATS",
    "KALLSYMS",
    "PRINTK",
    "CMDLINES",
    "BUFFER_TEXT",
    "BTF_FILE",
    "LAST_BOOT_INFO",
    "MODULES_FILE",
];

/// Returns the name of an option or section; `None` if the id is unknown.
pub fn name(id: u16) -> Option<&'static str> {
    NAMES.get(usize::from(id)).copied()
}

/// Returns what trace-cmd calls a section in a file (lib/trace-cmd/trace-output.c).
pub(super) fn description(id: u16) -> &'static str {
    match id {
        DONE => "options",
        BUFFER => "buffer flyrecord",
        STRINGS => "strings",
        HEADER_INFO => "headers",
        FTRACE_EVENTS => "ftrace events",
        EVENT_FORMATS => "events format",
        KALLSYMS => "kallsyms",
        PRINTK => "printk",
        CMDLINES => "command lines",
        BUFFER_TEXT => "buffer latency",
        _ => name(id).unwrap_or("section"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_at_their_ids() {
        let known = [(DONE, "DONE"), (CPUCOUNT, "CPUCOUNT"), (STRINGS, "STRINGS"), (CMDLINES, "CMDLINES")];
        for (id, expected) in known {
            assert_eq!(name(id), Some(expected));
        }
        assert_eq!((name(25), name(26)), (Some("MODULES_FILE"), None));
        assert_eq!(
            (description(CMDLINES), description(25), description(99)),
            ("command lines", "MODULES_FILE", "section")
        );
    }
}
