//! Unexpected behaviour of tracefs.

use super::{Answer, Trap, caught, filter};

/// All of them.
pub const FACTS: &[Trap] = &[
    Trap {
        id: Some(1),
        name: "failed filter",
        kernel: "a filter that is refused replaces the event's filter and turns filtering off: everything passes",
        answers: &[
            caught("sched:sched_switch if prev_prio > 100 && bogus == 1", "bogus", "T0102"),
            Answer::Avoided {
                how: "filters are written before their event is enabled, in an instance of the session's own, and a \
                      refusal removes the instance",
                test: ("tests/harness/refusals.rs", "stale_profile"),
            },
        ],
    },
    Trap {
        id: Some(2),
        name: "subsystem filter",
        kernel: "a filter of a subsystem is accepted where no event has the field; events that lack it pass unfiltered",
        answers: &[
            caught("sched:* if prev_prio > 100", "prev_prio", "T0111"),
            caught("sched:* if bogus > 100", "bogus", "T0102"),
        ],
    },
    Trap {
        id: Some(3),
        name: "error numbers",
        kernel: "the error of a refused filter is a number of its parser: ENOENT for an open parenthesis, EPERM for a \
                 surplus one, ESRCH for a missing quote",
        answers: &[
            caught("sched:sched_switch if (prev_prio > 100", "(", "T0016"),
            caught("sched:sched_switch if prev_prio > 100)", ")", "T0017"),
            caught("sched:sched_switch if prev_comm == \"abc", "\"abc", "T0006"),
        ],
    },
    Trap {
        id: Some(4),
        name: "values",
        kernel: "a value is a number or a quoted string: no names, no constants, no second field",
        answers: &[
            filter("irq:softirq_entry if vec == TIMER", "vec == 1"),
            filter("sched:sched_switch if prev_prio in {100, 120}", "prev_prio == 100 || prev_prio == 120"),
            filter("block:block_rq_issue if bytes >= 64KiB", "bytes >= 65536"),
            caught("sched:sched_switch if prev_comm == next_comm", "prev_comm == next_comm", "T0208"),
        ],
    },
    Trap {
        id: Some(5),
        name: "truncation",
        kernel: "a number is cut to the field's size: `sig == 4294967306` matches 10",
        answers: &[caught("signal:signal_generate if sig == 4294967306", "4294967306", "T0202")],
    },
    Trap {
        id: Some(6),
        name: "arguments of system calls",
        kernel: "a negative number is refused for an unsigned field, and every argument of a system call is one",
        answers: &[
            // The upper half of the register may hold anything: only the sign bit of the `int` matters.
            filter("syscalls:sys_enter_openat if dfd < 0", "dfd & 2147483648"),
            filter(
                "syscalls:sys_enter_openat if mode == 0x180",
                "mode & 128 && mode & 256 && !(mode & 65151)",
            ),
            caught("kmem:kmalloc if bytes_req == -1", "-1", "T0202"),
        ],
    },
    Trap {
        id: Some(7),
        name: "fields that never match",
        kernel: "`CPU & 1` and `stacktrace == 1` are accepted and never match; `CPU == CPUS{0-1}` is always false",
        answers: &[
            caught("sched:sched_switch if cpu & 1", "&", "T0205"),
            // The host decides it, and the kernel's filter has no part in it.
            filter("sched:sched_switch if cpu & 1 == 1 && prev_prio > 1", "prev_prio > 1"),
            Answer::Refused {
                text: "on sched:sched_switch if cpu & 1 == 1 { trigger stacktrace; }",
                at: "cpu & 1 == 1",
                code: "T0401",
            },
            Answer::Refused {
                text: "trace sched:sched_switch { filter in kernel cpu & 1 == 1; }",
                at: "cpu & 1 == 1",
                code: "T0405",
            },
            caught("sched:sched_switch if stacktrace == 1", "stacktrace", "T0204"),
            caught("sched:sched_switch if cpu == CPUS{0-1}", "CPUS{0-1}", "T0221"),
            // As the kernel spells it.
            caught("sched:sched_switch if CPU & 1", "CPU", "T0102"),
            caught("sched:sched_switch if CPU == CPUS{0-1}", "CPU", "T0102"),
            filter("sched:sched_switch if cpu & CPUS{0-1}", "CPU <= 1"),
        ],
    },
    Trap {
        id: Some(8),
        name: "suffix patterns",
        kernel: "`~ \"*abc\"` never matches a fixed array unless its text fills it",
        answers: &[Answer::Avoided {
            how: "a suffix is written as a full pattern, and refused where that would be inexact",
            test: (
                "kernel/tests/live_filter.rs",
                "patterns_match_fixed_text_and_the_task_as_the_language_says",
            ),
        }],
    },
    Trap {
        id: Some(9),
        name: "patterns with a digit first",
        kernel: "a pattern that begins with a digit is taken literally",
        answers: &[filter("sched:sched_switch if prev_comm ~ \"1*\"", "prev_comm ~ \"[1]*\"")],
    },
    Trap {
        id: Some(10),
        name: "dangling connector",
        kernel: "a `&&` or `||` at the end is ignored by 6.18 and refused by 6.1",
        answers: &[caught("sched:sched_switch if prev_prio > 1 &&", "", "T0012")],
    },
    Trap {
        id: Some(11),
        name: "truncating a trigger file",
        kernel: "opening a trigger file for truncation removes hist triggers only",
        answers: &[Answer::Avoided {
            how: "triggers go with the session's instance; none is removed by itself",
            test: ("tests/harness/refusals.rs", "at_each_step"),
        }],
    },
    Trap {
        id: Some(12),
        name: "reading triggers back",
        kernel: "what a trigger file shows cannot be written again: `:unlimited`, `:count=N` with what remains of N",
        answers: &[Answer::Unsayable {
            why: "nothing that was read is ever written; a plan keeps its own text",
        }],
    },
    Trap {
        id: Some(13),
        name: "removing a trigger",
        kernel: "`!cmd` succeeds where there is no such trigger, and `!traceoff` removes a `traceon`",
        answers: &[Answer::Unsayable { why: "the language arms triggers and takes none away" }],
    },
    Trap {
        id: Some(14),
        name: "trigger slots",
        kernel: "`traceon` and `traceoff` share one place at an event, and so do `enable_event` and `disable_event` of \
                 one target",
        answers: &[
            caught(
                "on sched:sched_waking { trigger traceon; trigger traceoff; }",
                "trigger traceoff;",
                "T0303",
            ),
            caught(
                "on sched:sched_waking { trigger enable_event sched:sched_switch; \
                 trigger disable_event sched:sched_switch; }",
                "trigger disable_event sched:sched_switch;",
                "T0303",
            ),
        ],
    },
    Trap {
        id: Some(15),
        name: "clock and size",
        kernel: "setting the clock, another tracer or the size of a sub-buffer empties the buffer",
        answers: &[
            Answer::Avoided {
                how: "clock and size are set before anything is recorded",
                test: ("compiler/tests/plans.rs", "settings_come_first_and_recording_last"),
            },
            caught("sched:sched_switch; global { clock mono; }", "clock mono;", "T0323"),
        ],
    },
    Trap {
        id: Some(16),
        name: "one word a write",
        kernel: "`set_event` takes one word per write and says how much it took",
        answers: &[Answer::Unsayable {
            why: "each event is enabled by its own file; `set_event` is not written",
        }],
    },
    Trap {
        id: Some(17),
        name: "edits at close",
        kernel: "`set_ftrace_filter` takes effect when it is closed, and close swallows errors",
        answers: &[Answer::Unsayable { why: "the language has no function filters yet" }],
    },
    Trap {
        id: Some(18),
        name: "no patterns in set_event",
        kernel: "`set_event` knows a lone `*` and no other pattern",
        answers: &[Answer::Lowered { text: "\"sched:*waking\"", writes: "1", file: "sched_waking/enable" }],
    },
    Trap {
        id: Some(19),
        name: "numbers in control files",
        kernel: "most files take decimal numbers only; CPU masks are hexadecimal without `0x`",
        answers: &[
            Answer::Lowered {
                text: "sched:sched_switch; buffer 16KiB per cpu",
                writes: "16",
                file: "buffer_size_kb",
            },
            // Numbers of any base in the text.
            filter("sched:sched_switch if prev_prio == 0x64", "prev_prio == 100"),
            // CPUs are a condition, not a mask.
            filter("sched:sched_switch; scope cpus 0-1", "CPU <= 1"),
        ],
    },
    Trap {
        id: Some(20),
        name: "options that act on all instances",
        kernel: "`record-cmd` written in one instance turns recording of names on or off for all",
        answers: &[caught("sched:sched_switch; option record-cmd off", "record-cmd", "T0304")],
    },
    Trap {
        id: Some(21),
        name: "hist sets the clock",
        kernel: "a hist trigger with `common_timestamp` sets the instance's clock and so empties its buffer",
        answers: &[Answer::Unsayable { why: "the language has no `hist` yet" }],
    },
    Trap {
        id: Some(22),
        name: "macros that changed",
        kernel: "`__assign_str` has two arguments up to 6.9 and one from 6.10; `DECLARE_TRACE(x)` makes `trace_x_tp()` \
                 from 6.16",
        answers: &[Answer::Unsayable { why: "definitions are checked; no target writes C from them yet" }],
    },
    Trap {
        id: Some(23),
        name: "context of BPF programs",
        kernel: "the first eight bytes of a tracepoint program's context may not be read",
        answers: &[Answer::Unsayable { why: "no target writes BPF programs yet" }],
    },
    Trap {
        id: Some(24),
        name: "probes from Rust",
        kernel: "modules in Rust call tracepoints and cannot register probes",
        answers: &[Answer::Unsayable { why: "no target writes Rust yet" }],
    },
    Trap {
        id: Some(25),
        name: "alignment",
        kernel: "fields of events follow C's alignment, those of probes are packed and unaligned",
        answers: &[Answer::Avoided {
            how: "offsets and sizes are read from the kernel's `format` file and never computed",
            test: ("kernel/tests/format_fields.rs", "probes_have_packed_records"),
        }],
    },
];
