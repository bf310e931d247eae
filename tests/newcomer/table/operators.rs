//! Operators of other languages, and operators of this one with other meanings.

use crate::mistake::Mistake;
use crate::mistake::Said::{Right, Wrong};

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "one-equals-sign",
        meant: "switches to tasks of priority 120",
        tracec: "sched:sched_switch if next_prio = 120",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_prio = 120/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_prio = 120"]),
    },
    Mistake {
        name: "three-equals-signs",
        meant: "switches to tasks of priority 120",
        tracec: "sched:sched_switch if next_prio === 120",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_prio === 120/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_prio === 120"]),
    },
    Mistake {
        name: "regular-expression",
        meant: "switches to kernel workers",
        tracec: "sched:sched_switch if next_comm =~ \"kworker.*\"",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_comm =~ \"kworker.*\"/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_comm =~ \"kworker.*\""]),
    },
    Mistake {
        name: "and-as-a-word",
        meant: "switches between tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100 and next_prio < 100",
        bpftrace: Wrong(
            "tracepoint:sched:sched_switch /args->prev_prio < 100 and args->next_prio < 100/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100 and next_prio < 100"]),
    },
    Mistake {
        name: "or-as-a-word",
        meant: "switches from or to tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100 or next_prio < 100",
        bpftrace: Wrong(
            "tracepoint:sched:sched_switch /args->prev_prio < 100 or args->next_prio < 100/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100 or next_prio < 100"]),
    },
    Mistake {
        name: "not-as-a-word",
        meant: "switches to everything but bash",
        tracec: "sched:sched_switch if not next_comm == \"bash\"",
        bpftrace: Wrong("tracepoint:sched:sched_switch /not args->next_comm == \"bash\"/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "not next_comm == \"bash\""]),
    },
    Mistake {
        name: "one-ampersand",
        meant: "switches between tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100 & next_prio < 100",
        bpftrace: Right(
            "tracepoint:sched:sched_switch /args->prev_prio < 100 & args->next_prio < 100/ { @ = count(); }",
            "C compares first, and the two truth values have one bit each",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100 & next_prio < 100"]),
    },
    Mistake {
        name: "not-before-a-field",
        meant: "switches to tasks of another priority than 120",
        tracec: "sched:sched_switch if !next_prio == 120",
        bpftrace: Wrong("tracepoint:sched:sched_switch /!args->next_prio == 120/ { @ = count(); }"),
        trace_cmd: Right(
            &["-e", "sched:sched_switch", "-f", "!next_prio == 120"],
            "the kernel's `!` takes the whole comparison",
        ),
    },
    Mistake {
        name: "comparisons-in-a-chain",
        meant: "switches to tasks of a priority between 100 and 120",
        tracec: "sched:sched_switch if 100 < next_prio < 120",
        bpftrace: Wrong("tracepoint:sched:sched_switch /100 < args->next_prio < 120/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "100 < next_prio < 120"]),
    },
    Mistake {
        name: "or-between-values",
        meant: "switches to tasks of priority 100 or 120",
        tracec: "sched:sched_switch if next_prio == 100 || 120",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_prio == 100 || 120/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_prio == 100 || 120"]),
    },
];
