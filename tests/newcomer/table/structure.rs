//! Missing or surplus parts between the comparisons.

use crate::mistake::Mistake;
use crate::mistake::Said::Wrong;

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "connector-at-the-end",
        meant: "switches from tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100 &&",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->prev_prio < 100 && / { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100 &&"]),
    },
    Mistake {
        name: "connector-missing",
        meant: "switches between tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100 next_prio < 100",
        bpftrace: Wrong(
            "tracepoint:sched:sched_switch /args->prev_prio < 100 args->next_prio < 100/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100 next_prio < 100"]),
    },
    Mistake {
        name: "connector-twice",
        meant: "switches between tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100 && && next_prio < 100",
        bpftrace: Wrong(
            "tracepoint:sched:sched_switch /args->prev_prio < 100 && && args->next_prio < 100/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100 && && next_prio < 100"]),
    },
    Mistake {
        name: "parenthesis-not-closed",
        meant: "switches from idle tasks or tasks of real-time priority",
        tracec: "sched:sched_switch if (prev_prio < 100 || prev_pid == 0",
        bpftrace: Wrong(
            "tracepoint:sched:sched_switch /(args->prev_prio < 100 || args->prev_pid == 0/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "(prev_prio < 100 || prev_pid == 0"]),
    },
    Mistake {
        name: "parenthesis-too-many",
        meant: "switches from tasks of real-time priority",
        tracec: "sched:sched_switch if prev_prio < 100)",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->prev_prio < 100)/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_prio < 100)"]),
    },
    Mistake {
        name: "condition-without-if",
        meant: "switches to tasks of real-time priority",
        tracec: "sched:sched_switch next_prio < 100",
        bpftrace: Wrong("tracepoint:sched:sched_switch args->next_prio < 100 { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch next_prio < 100"]),
    },
];
