//! Numbers that do not fit, and units.

use crate::mistake::Mistake;
use crate::mistake::Said::{Never, Wrong};

/// Why trace-cmd cannot say how long a session lasts.
const NO_DURATION: &str = "it records until its command ends";

pub(super) const MISTAKES: &[Mistake] = &[
    Mistake {
        name: "number-beyond-32-bits",
        meant: "switches to tasks of a priority that there cannot be",
        tracec: "sched:sched_switch if next_prio == 5000000000",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_prio == 5000000000/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_prio == 5000000000"]),
    },
    Mistake {
        name: "number-beyond-8-bits",
        meant: "switches with a preemption count that there cannot be",
        tracec: "sched:sched_switch if common_preempt_count == 300",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->common_preempt_count == 300/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "common_preempt_count == 300"]),
    },
    Mistake {
        name: "number-beyond-64-bits",
        meant: "system calls with a number that there cannot be",
        tracec: "raw_syscalls:sys_enter if id == 18446744073709551616",
        bpftrace: Wrong(
            "tracepoint:raw_syscalls:sys_enter /args->id == 18446744073709551616/ { @ = count(); }",
        ),
        trace_cmd: Wrong(&["-e", "raw_syscalls:sys_enter", "-f", "id == 18446744073709551616"]),
    },
    Mistake {
        name: "negative-for-unsigned",
        meant: "sockets without a port",
        tracec: "sock:inet_sock_set_state if dport == -1",
        bpftrace: Wrong("tracepoint:sock:inet_sock_set_state /args->dport == -1/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sock:inet_sock_set_state", "-f", "dport == -1"]),
    },
    Mistake {
        name: "port-in-network-order",
        meant: "connections to the port 443; the field is in the machine's order already",
        tracec: "sock:inet_sock_set_state if dport == htons(443)",
        bpftrace: Wrong("tracepoint:sock:inet_sock_set_state /args->dport == htons(443)/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sock:inet_sock_set_state", "-f", "dport == htons(443)"]),
    },
    Mistake {
        name: "hexadecimal-without-0x",
        meant: "switches to the process 0x4d2",
        tracec: "sched:sched_switch if next_pid == 4d2",
        bpftrace: Wrong("tracepoint:sched:sched_switch /args->next_pid == 4d2/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "sched:sched_switch", "-f", "next_pid == 4d2"]),
    },
    Mistake {
        name: "unit-of-a-size",
        meant: "allocations of 64 KiB and more",
        tracec: "kmem:kmalloc if bytes_req >= 64KB",
        bpftrace: Wrong("tracepoint:kmem:kmalloc /args->bytes_req >= 64KB/ { @ = count(); }"),
        trace_cmd: Wrong(&["-e", "kmem:kmalloc", "-f", "bytes_req >= 64KB"]),
    },
    Mistake {
        name: "duration-without-a-unit",
        meant: "every switch in the next 10 seconds",
        tracec: "trace sched:sched_switch; stop after 10;",
        bpftrace: Wrong("tracepoint:sched:sched_switch { @ = count(); } interval:10 { exit(); }"),
        trace_cmd: Never(NO_DURATION),
    },
    Mistake {
        name: "unit-of-a-duration",
        meant: "every switch in the next 10 seconds",
        tracec: "trace sched:sched_switch; stop after 10sec;",
        bpftrace: Wrong("tracepoint:sched:sched_switch { @ = count(); } interval:sec:10 { exit(); }"),
        trace_cmd: Never(NO_DURATION),
    },
];
