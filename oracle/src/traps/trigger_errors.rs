//! The errors of trigger files, as `tracec_kernel::tables::trigger_errors` lists them.

use super::{Answer, Trap, caught};

/// All errors, by the names of the kernel's table, which states the cause of each.
pub const TRIGGER_ERRORS: &[Trap] = &[
    Trap {
        id: None,
        name: "EEXIST",
        kernel: "",
        answers: &[caught(
            "on sched:sched_waking { trigger stacktrace; trigger stacktrace count 2; }",
            "trigger stacktrace count 2;",
            "T0303",
        )],
    },
    Trap {
        id: None,
        name: "EINVAL, command",
        kernel: "",
        answers: &[caught("on sched:sched_waking { trigger stack; }", "stack", "T0107")],
    },
    Trap {
        id: None,
        name: "EINVAL, count",
        kernel: "",
        answers: &[
            caught("sched:sched_waking { trigger stacktrace count -1; }", "-1", "T0313"),
            caught("on sched:sched_waking { trigger stacktrace count 0; }", "count 0", "T0313"),
        ],
    },
    Trap {
        id: None,
        name: "EINVAL, no event",
        kernel: "",
        answers: &[caught("on sched:sched_waking { trigger enable_event; }", "enable_event", "T0324")],
    },
    Trap {
        id: None,
        name: "EINVAL, unknown event",
        kernel: "",
        answers: &[caught(
            "on sched:sched_waking { trigger enable_event sched:sched_swich; }",
            "sched:sched_swich",
            "T0101",
        )],
    },
    Trap {
        id: None,
        name: "EINVAL, ENOENT, EPERM, ESRCH, filter",
        kernel: "",
        answers: &[caught("on sched:sched_waking { trigger stacktrace if pdi == 1; }", "pdi", "T0102")],
    },
    Trap {
        id: None,
        name: "EBUSY",
        kernel: "",
        answers: &[Answer::Invisible {
            why: "it depends on the moment; the session is undone and the clause reported",
        }],
    },
    Trap {
        id: None,
        name: "ENODEV",
        kernel: "",
        answers: &[Answer::Invisible {
            why: "it depends on the moment; the session is undone and the clause reported",
        }],
    },
    Trap {
        id: None,
        name: "ENOMEM",
        kernel: "",
        answers: &[Answer::Invisible {
            why: "it depends on the machine; the session is undone and the number reported",
        }],
    },
];
