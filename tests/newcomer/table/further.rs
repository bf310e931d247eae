//! Forms of other tools and languages, and advice that once led to a wrong session.

use crate::mistake::Further;

/// Returns a row; what was meant is said by the right text where no words are given.
const fn row(name: &'static str, meant: &'static str, tracec: &'static str, right: &'static str) -> Further {
    Further { name, meant, tracec, right }
}

pub(super) const FURTHER: &[Further] = &[
    row(
        "condition-between-slashes",
        "switches from the process 1",
        "sched:sched_switch /prev_pid == 1/",
        "sched:sched_switch if prev_pid == 1",
    ),
    row(
        "condition-behind-where",
        "switches from the process 1",
        "sched:sched_switch where prev_pid == 1",
        "sched:sched_switch if prev_pid == 1",
    ),
    row(
        "condition-behind-when",
        "switches from the process 1",
        "trace sched:sched_switch when prev_pid == 1; stop after 5s",
        "trace sched:sched_switch if prev_pid == 1; stop after 5s",
    ),
    row(
        "events-with-a-comma",
        "switches and wakeups",
        "sched:sched_switch, sched:sched_waking",
        "{sched:sched_switch, sched:sched_waking}",
    ),
    row(
        "events-with-a-blank",
        "switches and wakeups",
        "sched:sched_switch sched:sched_waking",
        "{sched:sched_switch, sched:sched_waking}",
    ),
    row(
        "events-with-or",
        "switches and wakeups",
        "sched:sched_switch || sched:sched_waking",
        "{sched:sched_switch, sched:sched_waking}",
    ),
    row(
        "contains",
        "switches to kernel workers",
        "sched:sched_switch if next_comm contains \"worker\"",
        "sched:sched_switch if next_comm ~ \"*worker*\"",
    ),
    row(
        "starts-with",
        "switches to kernel workers",
        "sched:sched_switch if next_comm startswith \"kworker\"",
        "sched:sched_switch if next_comm ~ \"kworker*\"",
    ),
    row(
        "pattern-of-sql",
        "switches to kernel workers",
        "sched:sched_switch if next_comm like \"kworker%\"",
        "sched:sched_switch if next_comm ~ \"kworker*\"",
    ),
    row(
        "between",
        "switches to tasks of the priorities 1 to 5",
        "sched:sched_switch if next_prio between 1 and 5",
        "sched:sched_switch if next_prio in {1..=5}",
    ),
    row(
        "range-without-braces",
        "switches to tasks of the priorities 1 to 5",
        "sched:sched_switch if next_prio in 1..=5",
        "sched:sched_switch if next_prio in {1..=5}",
    ),
    row(
        "range-of-a-shell",
        "switches to tasks of the priorities 1 to 5",
        "sched:sched_switch if next_prio in {1..5}",
        "sched:sched_switch if next_prio in {1..=5}",
    ),
    row(
        "is-for-equals",
        "switches to tasks of priority 120",
        "sched:sched_switch if next_prio is 120",
        "sched:sched_switch if next_prio == 120",
    ),
    row("comment-of-a-shell", "every switch", "sched:sched_switch # to see who runs", "sched:sched_switch"),
    row(
        "pattern-operator-of-a-shell",
        "switches to kernel workers",
        "sched:sched_switch if next_comm =~ \"worker\"",
        "sched:sched_switch if next_comm ~ \"*worker*\"",
    ),
    row("null-pointer", "allocations that failed", "kmem:kmalloc if ptr == NULL", "kmem:kmalloc if ptr == 0"),
    row(
        "null-for-a-string",
        "starts of programs without a name",
        "sched:sched_process_exec if filename == NULL",
        "sched:sched_process_exec if filename == \"(null)\"",
    ),
    row(
        "name-of-a-value-in-quotes",
        "timer interrupts",
        "irq:softirq_entry if vec == \"TIMER\"",
        "irq:softirq_entry if vec == TIMER",
    ),
    row(
        "error-by-its-path",
        "files that are not there (the kernel returns -2)",
        "syscalls:sys_exit_openat if ret == errno::ENOENT",
        "syscalls:sys_exit_openat if ret == -2",
    ),
    row(
        "use-in-one-line",
        "kills",
        "use std::signal; signal:signal_generate if sig == signal::SIGKILL",
        "signal:signal_generate if sig == 9",
    ),
    row(
        "duration-for-a-number",
        "tasks that ran for more than 10 ms at a time; the event prints ns",
        "sched:sched_stat_runtime if runtime > 10ms",
        "sched:sched_stat_runtime if runtime > 10000000",
    ),
    row(
        "duration-for-a-number-without-a-unit",
        "allocations of more than 10 ms, which nobody can mean",
        "kmem:kmalloc if bytes_req > 10ms",
        "kmem:kmalloc if bytes_req > 10000000",
    ),
    row(
        "minutes-as-m",
        "every switch in the next 10 minutes",
        "trace sched:sched_switch; stop after 10m",
        "trace sched:sched_switch; stop after 10min",
    ),
    row(
        "minutes-apart-from-their-number",
        "every switch in the next 10 minutes",
        "trace sched:sched_switch; stop after 10 m",
        "trace sched:sched_switch; stop after 10min",
    ),
    row(
        "field-of-some-events-of-a-list",
        "switches and wakeups of tasks of real-time priority",
        "{sched:sched_switch, sched:sched_waking} if prio < 100",
        "{sched:sched_switch, sched:sched_waking} having prio if prio < 100",
    ),
    row(
        "aggregation-of-bpftrace",
        "how often each program runs",
        "tracepoint:sched:sched_switch /args->next_prio < 100/ { @[comm] = count(); }",
        "sched:sched_switch if next_prio < 100",
    ),
    row(
        "probe-of-bpftrace",
        "which programs read",
        "kprobe:vfs_read { @[comm] = count(); }",
        "syscalls:sys_enter_openat",
    ),
    row(
        "begin-of-bpftrace",
        "a program of bpftrace",
        "BEGIN { printf(\"start\"); } tracepoint:sched:sched_switch { @ = count(); }",
        "sched:sched_switch",
    ),
    row(
        "command-line-of-trace-cmd",
        "switches from tasks of real-time priority",
        "trace-cmd record -e sched:sched_switch -f 'prev_prio < 100'",
        "sched:sched_switch if prev_prio < 100",
    ),
    row("command-line-of-perf", "every switch", "perf record -e sched:sched_switch -a", "sched:sched_switch"),
    row(
        "echo-into-a-filter",
        "switches from tasks of real-time priority",
        "echo 'prev_prio < 100' > /sys/kernel/tracing/events/sched/sched_switch/filter",
        "sched:sched_switch if prev_prio < 100",
    ),
    row(
        "header-of-the-kernel",
        "the definition of an event",
        "TRACE_EVENT(opened, TP_PROTO(int fd), TP_ARGS(fd))",
        "sched:sched_switch",
    ),
    row(
        "demand-behind-its-condition",
        "switches from tasks of real-time priority, all decided in the kernel",
        "trace sched:sched_switch { filter prev_prio < 100 in kernel; }",
        "trace sched:sched_switch { filter in kernel prev_prio < 100; }",
    ),
    row(
        "recording-for-a-session",
        "a look at what was recorded",
        "{\"event\":\"sched:sched_switch\",\"cpu\":0}",
        "sched:sched_switch",
    ),
    row(
        "event-of-a-header",
        "an event of a header of the kernel",
        "TRACE_EVENT(opened, TP_PROTO(int fd), TP_ARGS(fd), TP_STRUCT__entry(__field(int, fd)), \
         TP_fast_assign(__entry->fd = fd;), TP_printk(\"fd=%d\", __entry->fd));",
        "sched:sched_switch",
    ),
    row(
        "misspelt-constant",
        "kills",
        "signal:signal_generate if sig == SIGKIL",
        "signal:signal_generate if sig == 9",
    ),
    row(
        "misspelt-constant-by-its-path",
        "kills",
        "signal:signal_generate if sig == std::signal::SIGKIL",
        "signal:signal_generate if sig == 9",
    ),
    row(
        "misspelt-error",
        "files that are not there (the kernel returns -2)",
        "syscalls:sys_exit_openat if ret == -errno::ENOENTT",
        "syscalls:sys_exit_openat if ret == -2",
    ),
    row(
        "window-with-while",
        "switches while a task reads",
        "while in syscall read { trace sched:sched_switch; }",
        "sched:sched_switch",
    ),
    row(
        "stop-when",
        "every switch until the next fork",
        "trace sched:sched_switch; stop when sched:sched_process_fork",
        "trace sched:sched_switch; stop on sched:sched_process_fork",
    ),
    row(
        "stop-when-a-time-has-passed",
        "every switch in the next 5 seconds",
        "trace sched:sched_switch; stop when 5s",
        "trace sched:sched_switch; stop after 5s",
    ),
];
