//! Strings and patterns.

use crate::mistake::Mistake;
use crate::mistake::Said::{Never, Right, Wrong};

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "text-without-quotes",
        meant: "switches to bash",
        tracec: "sched:sched_switch if next_comm == bash",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_comm == bash/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_comm == bash"]),
    },
    Mistake {
        name: "single-quotes",
        meant: "switches to bash",
        tracec: "sched:sched_switch if next_comm == 'bash'",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_comm == 'bash'/ { @ = count(); }"),
        trace_cmd: Right(
            &["-e", "sched:sched_switch", "-f", "next_comm == 'bash'"],
            "the kernel's filter takes both kinds of quotes",
        ),
    },
    Mistake {
        name: "quote-not-closed",
        meant: "switches to bash",
        tracec: "sched:sched_switch if next_comm == \"bash",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_comm == \"bash/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_comm == \"bash"]),
    },
    Mistake {
        name: "number-for-text",
        meant: "switches to the process 5",
        tracec: "sched:sched_switch if next_comm == 5",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_comm == 5/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_comm == 5"]),
    },
    Mistake {
        name: "text-for-number",
        meant: "switches to the process 1234",
        tracec: "sched:sched_switch if next_pid == \"1234\"",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_pid == \"1234\"/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_pid == \"1234\""]),
    },
    Mistake {
        name: "text-longer-than-the-field",
        meant: "switches to a program whose name has 26 letters, of which the kernel keeps 15",
        tracec: "sched:sched_switch if next_comm == \"a-program-with-a-long-name\"",
        bpftrace: Wrong(
            "tracepoint:sched:sched_switch /args->next_comm == \"a-program-with-a-long-name\"/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_comm == \"a-program-with-a-long-name\""]),
    },
    Mistake {
        name: "class-not-closed",
        meant: "switches to programs that begin with k",
        tracec: "sched:sched_switch if next_comm ~ \"[k*\"",
        bpftrace: Never("its conditions have no patterns"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_comm ~ \"[k*\""]),
    },
];
