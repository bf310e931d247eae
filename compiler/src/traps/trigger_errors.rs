//! The errors of trigger files (kernel/trace/trace_events_trigger.c): numbers without words.

use super::{Answer, Trap, caught};

/// All of them.
pub const TRIGGER_ERRORS: &[Trap] = &[
    Trap {
        name: "EEXIST",
        kernel: "the trigger's place at the event is taken",
        answers: &[caught(
            "on sched:sched_waking { trigger stacktrace; trigger stacktrace count 2; }",
            "trigger stacktrace count 2;",
            "T0303",
        )],
    },
    Trap {
        name: "EINVAL, command",
        kernel: "there is no such trigger",
        answers: &[caught("on sched:sched_waking { trigger stack; }", "stack", "T0107")],
    },
    Trap {
        name: "EINVAL, count",
        kernel: "the count is no number; of 0 the kernel says nothing, and the trigger never fires",
        answers: &[
            caught("sched:sched_waking { trigger stacktrace count -1; }", "-1", "T0313"),
            caught("on sched:sched_waking { trigger stacktrace count 0; }", "count 0", "T0313"),
        ],
    },
    Trap {
        name: "EINVAL, no event",
        kernel: "the trigger acts on an event and none is named",
        answers: &[caught("on sched:sched_waking { trigger enable_event; }", "enable_event", "T0324")],
    },
    Trap {
        name: "EINVAL, unknown event",
        kernel: "the event that the trigger acts on does not exist",
        answers: &[caught(
            "on sched:sched_waking { trigger enable_event sched:sched_swich; }",
            "sched:sched_swich",
            "T0101",
        )],
    },
    Trap {
        name: "EINVAL, ENOENT, EPERM, ESRCH, filter",
        kernel: "the trigger's condition is refused, with the numbers of the filter's parser",
        answers: &[caught("on sched:sched_waking { trigger stacktrace if pdi == 1; }", "pdi", "T0102")],
    },
    Trap {
        name: "EBUSY",
        kernel: "the module of the event that the trigger acts on is just being removed",
        answers: &[Answer::Invisible {
            why: "it depends on the moment; the session is undone and the clause told",
        }],
    },
];
