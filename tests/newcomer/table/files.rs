//! Texts of files: parts of a session file in another form, headers of the kernel, records.

use crate::mistake::{Further, in_file, row};

pub(super) const FURTHER: &[Further] = &[
    row(
        "header-of-the-kernel",
        "the definition of an event",
        "TRACE_EVENT(opened, TP_PROTO(int fd), TP_ARGS(fd))",
        "sched:sched_switch",
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
        "header-without-its-parts",
        "an event of a header",
        "TRACE_EVENT(foo, TP_PROTO(int a), TP_ARGS(a))",
        "sched:sched_switch",
    ),
    in_file(
        "events-in-a-file",
        "switches to bash",
        "sched:sched_switch if next_comm == \"bash\"",
        "session s { trace sched:sched_switch if next_comm == \"bash\"; }",
    ),
    in_file(
        "clause-in-a-file",
        "switches",
        "trace sched:sched_switch;",
        "session s { trace sched:sched_switch; }",
    ),
    in_file(
        "include-of-c",
        "the names of errors",
        "#include <errno.h>",
        "use std::errno;
",
    ),
    in_file(
        "define-of-c",
        "a number with a name",
        "#define P 5",
        "const P = 5;
",
    ),
    in_file(
        "let-of-a-constant",
        "a number with a name",
        "let p = 5;",
        "const p = 5;
",
    ),
    in_file(
        "import-of-a-module",
        "the names of errors",
        "import std::errno;",
        "use std::errno;
",
    ),
    in_file(
        "parameter-in-a-session",
        "switches from a process",
        "session a { param pid = 5; trace sched:sched_switch; }",
        "session a { trace sched:sched_switch; }",
    ),
    in_file(
        "dash-in-a-name",
        "switches",
        "session my-session { trace sched:sched_switch; }",
        "session my_session { trace sched:sched_switch; }",
    ),
];
