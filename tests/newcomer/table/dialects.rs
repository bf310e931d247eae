//! Mistakes of users of other tools, or caused by the shell.

use crate::mistake::Mistake;
use crate::mistake::Said::{Never, Wrong};

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "program-of-bpftrace",
        meant: "every switch away from the process 1",
        tracec: "tracepoint:sched:sched_switch /pid == 1/ { }",
        bpftrace: Never("it is its own language"),
        trace_cmd: Wrong(&["-e", "tracepoint:sched:sched_switch", "-f", "/pid == 1/"]),
    },
    Mistake {
        name: "fields-of-bpftrace",
        meant: "switches to tasks of real-time priority",
        tracec: "sched:sched_switch if args->next_prio < 100",
        bpftrace: Never("it is its own language"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "args->next_prio < 100"]),
    },
    Mistake {
        name: "options-of-trace-cmd",
        meant: "switches from tasks of real-time priority",
        tracec: "-e sched:sched_switch -f 'prev_prio < 100'",
        bpftrace: Wrong("-e sched:sched_switch -f 'prev_prio < 100'"),
        trace_cmd: Never("they are its own options"),
    },
    Mistake {
        name: "path-of-an-event",
        meant: "every switch",
        tracec: "sched/sched_switch",
        bpftrace: Wrong("tracepoint:sched/sched_switch { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched/sched_switch"]),
    },
    Mistake {
        name: "modifier-of-perf",
        meant: "every switch in user mode",
        tracec: "sched:sched_switch:u",
        bpftrace: Wrong("tracepoint:sched:sched_switch:u { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch:u"]),
    },
    Mistake {
        name: "echo-into-a-file",
        meant: "recording ends at the first five switches to tasks of real-time priority",
        tracec: "echo 'traceoff:5 if next_prio < 100' > events/sched/sched_switch/trigger",
        bpftrace: Wrong("echo 'traceoff:5 if next_prio < 100' > events/sched/sched_switch/trigger"),
        trace_cmd: Wrong(&[
            "-e",
            "sched:sched_switch",
            "-R",
            "echo 'traceoff:5 if next_prio < 100' > events/sched/sched_switch/trigger",
        ]),
    },
    Mistake {
        name: "variable-of-the-shell",
        meant: "switches to the process whose number is in the shell's `$pid`, which single quotes kept from it",
        tracec: "sched:sched_switch if next_pid == $pid",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_pid == $pid/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_pid == $pid"]),
    },
    Mistake {
        name: "backslashes-for-the-shell",
        meant: "switches to bash",
        tracec: r#"sched:sched_switch if next_comm == \"bash\""#,
        bpftrace: Wrong(r#"tracepoint:sched:sched_switch /args->next_comm == \"bash\"/ { @ = count(); }"#),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", r#"next_comm == \"bash\""#]),
    },
];
