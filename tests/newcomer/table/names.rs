//! Names that are wrong, and names where the kernel has numbers.

use crate::mistake::Mistake;
use crate::mistake::Said::{Never, Wrong};

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "field-misspelt",
        meant: "switches from tasks of real-time priority",
        tracec: "sched:sched_switch if prev_pri < 100",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->prev_pri < 100/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_pri < 100"]),
    },
    Mistake {
        name: "event-misspelt",
        meant: "every switch",
        tracec: "sched:sched_swich",
        bpftrace: Wrong("tracepoint:sched:sched_swich { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_swich"]),
    },
    Mistake {
        name: "system-misspelt",
        meant: "every switch",
        tracec: "shed:sched_switch",
        bpftrace: Wrong("tracepoint:shed:sched_switch { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "shed:sched_switch"]),
    },
    Mistake {
        name: "option-misspelt",
        meant: "every switch with a stack",
        tracec: "trace sched:sched_switch; option stack-trace;",
        bpftrace: Never("it has no trace options"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-O", "stack-trace"]),
    },
    Mistake {
        name: "system-call-by-its-name",
        meant: "every call of openat",
        tracec: "syscalls:openat",
        bpftrace: Wrong("tracepoint:syscalls:openat { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "syscalls:openat"]),
    },
    // The next three are examples of Documentation/trace/events.rst, sections 5.2 and 5.4.
    Mistake {
        name: "field-of-the-documentation",
        meant: "signals from 10 to 14 and 17, to everything but bash",
        tracec: "signal:signal_generate if ((sig >= 10 && sig < 15) || dsig == 17) && comm != \"bash\"",
        bpftrace: Wrong(
            "tracepoint:signal:signal_generate /((args->sig >= 10 && args->sig < 15) || args->dsig == 17) && \
             args->comm != \"bash\"/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&[
            "-e",
            "signal:signal_generate",
            "-f",
            "((sig >= 10 && sig < 15) || dsig == 17) && comm != \"bash\"",
        ]),
    },
    Mistake {
        name: "text-of-the-documentation",
        meant: "signals from 10 to 14 and 17, to everything but bash",
        tracec: "signal:signal_generate if ((sig >= 10 && sig < 15) || sig == 17) && comm != bash",
        bpftrace: Wrong(
            "tracepoint:signal:signal_generate /((args->sig >= 10 && args->sig < 15) || args->sig == 17) && \
             args->comm != bash/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&[
            "-e",
            "signal:signal_generate",
            "-f",
            "((sig >= 10 && sig < 15) || sig == 17) && comm != bash",
        ]),
    },
    Mistake {
        name: "subsystem-whose-events-lack-the-field",
        meant: "events of the scheduler that concern the idle task",
        tracec: "sched:* if prev_pid == 0",
        bpftrace: Wrong("tracepoint:sched:* /args->prev_pid == 0/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched", "-f", "prev_pid == 0"]),
    },
    Mistake {
        name: "signal-by-its-name",
        meant: "kills",
        tracec: "signal:signal_generate if sig == SIGKILL",
        bpftrace: Wrong("tracepoint:signal:signal_generate /args->sig == SIGKILL/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "signal:signal_generate", "-f", "sig == SIGKILL"]),
    },
    Mistake {
        name: "error-by-its-name",
        meant: "files that are not there (the kernel returns -2)",
        tracec: "syscalls:sys_exit_openat if ret == ENOENT",
        bpftrace: Wrong("tracepoint:syscalls:sys_exit_openat /args->ret == ENOENT/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "syscalls:sys_exit_openat", "-f", "ret == ENOENT"]),
    },
    Mistake {
        name: "state-by-its-letter",
        meant: "switches from tasks that could go on running",
        tracec: "sched:sched_switch if prev_state == R",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->prev_state == R/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "prev_state == R"]),
    },
];
