//! The errors of the kernel's filter parser, as `tracec_kernel::tables::filter_errors` lists them.

use super::{Answer, Trap, caught};

const fn error(name: &'static str, answers: &'static [Answer]) -> Trap {
    Trap { id: None, name, kernel: "", answers }
}

/// All errors, by the kernel's own words; the kernel's table states the cause of each.
pub const FILTER_ERRORS: &[Trap] = &[
    error("No error", &[Answer::Invisible { why: "a place holder: the kernel never says it of a filter" }]),
    error("Invalid operator", &[caught("sched:sched_switch if prev_comm =~ \"a*\"", "=~", "T0019")]),
    error("Too many '('", &[caught("sched:sched_switch if ((prev_prio > 1)", "(", "T0016")]),
    error("Too few '('", &[caught("sched:sched_switch if prev_prio > 1)", ")", "T0017")]),
    error("Missing matching quote", &[caught("sched:sched_switch if prev_comm == \"a", "\"a", "T0006")]),
    error("Missing '{'", &[caught("sched:sched_switch if cpu & CPUS", "CPUS", "T0102")]),
    error("Missing '}'", &[caught("sched:sched_switch if cpu & CPUS{0", "CPUS{", "T0030")]),
    error(
        "Operand too long",
        &[
            caught(
                "sched:sched_switch if prev_prio == 111111111111111111111111",
                "111111111111111111111111",
                "T0010",
            ),
            caught(
                "sched:sched_switch if prev_comm == \"0123456789abcdef\"",
                "\"0123456789abcdef\"",
                "T0203",
            ),
        ],
    ),
    error("Expecting string field", &[caught("sched:sched_switch if prev_comm == 5", "5", "T0201")]),
    error("Expecting numeric field", &[caught("sched:sched_switch if prev_prio == \"x\"", "\"x\"", "T0201")]),
    error(
        "Illegal operation for field type",
        &[
            caught("sched:sched_switch if prev_comm < \"a\"", "<", "T0205"),
            caught("sched:sched_switch if prev_prio ~ \"1*\"", "~", "T0205"),
        ],
    ),
    error("Field not found", &[caught("sched:sched_switch if prev_pio > 1", "prev_pio", "T0102")]),
    error(
        "Illegal integer value",
        &[
            caught("kmem:kmalloc if bytes_req == -1", "-1", "T0202"),
            caught("sched:sched_switch if prev_prio == 08x", "x", "T0011"),
        ],
    ),
    error(
        "Couldn't find or set field in one of a subsystem's events",
        &[caught("sched:* if prev_prio > 1", "prev_prio", "T0111")],
    ),
    error(
        "Too many terms in predicate expression",
        &[caught("sched:sched_switch if prev_prio == 1 next_prio == 2", "next_prio", "T0131")],
    ),
    error("Meaningless filter expression", &[caught("sched:sched_switch if prev_prio == 1 ||", "", "T0012")]),
    error("Invalid cpulist", &[caught("sched:sched_switch if cpu & CPUS{}", "", "T0030")]),
    error(
        "Only 'ip' field is supported for function trace",
        &[caught("ftrace:function if parent_ip == 1", "ftrace:function", "T0108")],
    ),
    error(
        "Invalid value (did you forget quotes)?",
        &[caught("sched:sched_switch if prev_comm != bash", "bash", "T0209")],
    ),
    error(
        "Function not found",
        &[Answer::Avoided {
            how: "a function that the kernel does not list is reported",
            test: ("compiler/src/check/condition/tests.rs", "functions_that_are_not_listed_are_a_lint"),
        }],
    ),
    error(
        "Error",
        &[Answer::Invisible {
            why: "it stands for an error number alone, as when memory runs out; the session is undone and the number reported",
        }],
    ),
    error("No filter found", &[caught("sched:sched_switch if !", "", "T0012")]),
];
