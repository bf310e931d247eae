//! Triggers.

use crate::mistake::Mistake;
use crate::mistake::Said::{Never, Right, Wrong};

/// Why bpftrace cannot say some of them.
const NO_COUNTS: &str = "its actions have no counts; one is kept by hand in a map";

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "trigger-by-half-its-name",
        meant: "a stack at every switch",
        tracec: "on sched:sched_switch { trigger stack; }",
        bpftrace: Wrong("tracepoint:sched:sched_switch { print(stack); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-R", "stack"]),
    },
    Mistake {
        name: "trigger-misspelt",
        meant: "recording ends at the first switch to a task of real-time priority",
        tracec: "on sched:sched_switch { trigger trace_off if next_prio < 100; }",
        bpftrace: Never("it does not touch the ring buffer of the tracer"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-R", "trace_off if next_prio < 100"]),
    },
    Mistake {
        name: "count-as-the-kernel-writes-it",
        meant: "a stack at the first five switches",
        tracec: "on sched:sched_switch { trigger stacktrace:5; }",
        bpftrace: Never(NO_COUNTS),
        trace_cmd: Right(
            &["-e", "sched:sched_switch", "-R", "stacktrace:5"],
            "it hands the kernel's own words through",
        ),
    },
    Mistake {
        name: "count-of-0",
        meant: "a stack at every switch",
        tracec: "on sched:sched_switch { trigger stacktrace count 0; }",
        bpftrace: Never(NO_COUNTS),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-R", "stacktrace:0"]),
    },
    Mistake {
        name: "count-below-0",
        meant: "a stack at every switch",
        tracec: "on sched:sched_switch { trigger stacktrace count -1; }",
        bpftrace: Never(NO_COUNTS),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-R", "stacktrace:-1"]),
    },
    Mistake {
        name: "trigger-condition-without-if",
        meant: "a stack at every switch to a task of real-time priority",
        tracec: "on sched:sched_switch { trigger stacktrace next_prio < 100; }",
        bpftrace: Wrong("tracepoint:sched:sched_switch { print(kstack) args->next_prio < 100; }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-R", "stacktrace next_prio < 100"]),
    },
    Mistake {
        name: "trigger-without-an-event",
        meant: "a stack at every switch",
        tracec: "trigger stacktrace",
        bpftrace: Wrong("{ print(kstack); }"),
        trace_cmd: Wrong(&["-R", "stacktrace"]),
    },
    Mistake {
        name: "two-fields-in-a-trigger",
        meant: "a stack at every switch between tasks of the same priority",
        tracec: "on sched:sched_switch { trigger stacktrace if prev_prio == next_prio; }",
        bpftrace: Right(
            "tracepoint:sched:sched_switch /args->prev_prio == args->next_prio/ { print(kstack); }",
            "it compares any two integers, in a program of its own",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-R", "stacktrace if prev_prio == next_prio"]),
    },
    Mistake {
        name: "target-misspelt",
        meant: "recording of wake-ups begins at the first fork",
        tracec: "on sched:sched_process_fork { trigger enable_event sched:sched_wakin; }",
        bpftrace: Never("its programs switch no events on"),
        trace_cmd: Wrong(&["-e", "sched:sched_process_fork", "-R", "enable_event:sched:sched_wakin"]),
    },
];
