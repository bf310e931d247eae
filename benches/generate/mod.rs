//! Sessions of any number of clauses, with a kernel that has their events, and conditions of any number of atoms.

pub(crate) mod conditions;
#[allow(dead_code, reason = "each bench uses its part of this module")]
pub(crate) mod editor;

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use tracec_kernel::format::{EventFormat, FieldKind};

/// The events in the tree from which the generated ones are copied, each with a condition, and a trigger for some.
/// Every group of this many clauses has the same mix, so that the cost of a clause can be compared between sessions.
const SHAPES: [(&str, &str, &str); 10] = [
    ("sched/sched_switch", "prev_prio < 100 && next_comm == \"bash\"", ""),
    ("sched/sched_waking", "prio < 120 && (pid > 1000 || target_cpu != 0)", ""),
    ("sched/sched_process_exec", "filename ~ \"/usr/*/python3*\" && pid != 0", ""),
    (
        "sched/sched_migrate_task",
        "orig_cpu < 2 && dest_cpu >= 2 && prio > 100",
        "trigger stacktrace count 5;",
    ),
    ("signal/signal_generate", "sig >= 9 && sig < 16 && (code == 0 || code == -6)", "trigger traceoff once;"),
    ("syscalls/sys_enter_openat", "dfd == -100 && flags & 0x241", ""),
    ("syscalls/sys_exit_openat", "ret < 0 && ret != -2 && common_pid > 1", ""),
    ("raw_syscalls/sys_enter", "id == 0 || id == 1 || id == 257", "trigger stacktrace if id == 257;"),
    ("sched/sched_stat_runtime", "runtime > 1_000_000 && !(pid == 0 || common_pid == 0)", ""),
    ("sched/sched_process_fork", "parent_comm == \"make\" && child_pid > 1000", "trigger stacktrace;"),
];

/// The number of clauses that are one mix.
pub(crate) const MIX: usize = SHAPES.len();

/// Writes a copy of a tracefs with `events` events, each a renamed one of `from`.
pub(crate) fn kernel(from: &Path, to: &Path, events: usize) -> io::Result<()> {
    for number in 0..events {
        let (shape, ..) = SHAPES[number % MIX];
        let (system, event) = shape.split_once('/').expect("a shape is an event's path");
        let format = std::fs::read_to_string(from.join("events").join(shape).join("format"))?;
        let format = format.replacen(&format!("name: {event}"), &format!("name: {event}_{number}"), 1);
        let directory = to.join("events").join(system).join(format!("{event}_{number}"));
        std::fs::create_dir_all(&directory)?;
        std::fs::write(directory.join("format"), format)?;
    }
    Ok(())
}

/// Returns a session with this many clauses for that kernel.
pub(crate) fn session(clauses: usize) -> String {
    let mut text = String::from("session generated {\n    buffer 4MiB per cpu;\n");
    for number in 0..clauses {
        let (shape, condition, trigger) = SHAPES[number % MIX];
        let event = shape.replacen('/', ":", 1);
        let block = if trigger.is_empty() { ";".to_owned() } else { format!(" {{ {trigger} }}") };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "    trace {event}_{number} if {condition}{block}");
    }
    text.push_str("}\n");
    text
}

/// Events of every kernel, each with a condition whose number differs from line to line.
const OF_EVERY_KERNEL: [(&str, &str, &str); 4] = [
    ("sched:sched_switch", "prev_pid != ", " && next_comm == \"bash\""),
    ("sched:sched_waking", "pid == ", " || target_cpu != 0"),
    ("signal:signal_generate", "sig >= 9 && errno != ", ""),
    ("sched:sched_process_fork", "child_pid > ", " && parent_comm ~ \"make*\""),
];

/// Returns a clause with a condition of its own.
fn clause(number: usize) -> String {
    let (event, before, behind) = OF_EVERY_KERNEL[number % OF_EVERY_KERNEL.len()];
    format!("    trace {event} if {before}{number}{behind};\n")
}

/// Returns one session of so many lines: the clauses record their events without a condition, since those of several
/// clauses of an event are one.
pub(crate) fn one_session(lines: usize) -> String {
    let clause =
        |number: usize| format!("    trace {};\n", OF_EVERY_KERNEL[number % OF_EVERY_KERNEL.len()].0);
    format!("session one {{\n{}}}\n", (2..lines).map(clause).collect::<String>())
}

/// Returns so many sessions of four lines each.
pub(crate) fn sessions(count: usize) -> String {
    let session = |number| format!("session s{number} {{\n{}    buffer 4MiB per cpu;\n}}\n", clause(number));
    (0..count).map(session).collect()
}

/// A session of tracec and an equivalent program of bpftrace for this many events of a real kernel.
pub(crate) struct Equivalent {
    /// The session.
    pub(crate) tracec: String,
    /// The program.
    pub(crate) bpftrace: String,
}

/// Fields whose names are not keywords of bpftrace.
const PLAIN: [&str; 8] = ["ret", "fd", "dfd", "flags", "mode", "which", "how", "cmd"];

/// Takes the first system-call events of a tracefs that have a plain integer; `None` if there are not enough.
pub(crate) fn equivalent(tracefs: &Path, clauses: usize) -> io::Result<Option<Equivalent>> {
    let mut session = String::from("session generated {\n");
    let mut program = String::new();
    let mut names = Vec::new();
    for entry in std::fs::read_dir(tracefs.join("events/syscalls"))? {
        names.extend(entry?.file_name().into_string());
    }
    names.sort_unstable();
    let mut found = 0;
    for name in names {
        let Ok(text) = std::fs::read_to_string(tracefs.join(format!("events/syscalls/{name}/format"))) else {
            continue;
        };
        let Ok(format) = EventFormat::parse("syscalls", &text) else { continue };
        // bpftrace 0.17 compiles the structure of each event, and stops at an enum whose definition it does not have.
        if format.fields.iter().any(|field| field.type_text.contains("enum ")) {
            continue;
        }
        let plain = |name: &str| PLAIN.contains(&name);
        let field = format.own_fields().iter().find(|f| f.kind == FieldKind::Int && plain(&f.name));
        let Some(field) = field.map(|field| &field.name) else { continue };
        let (low, high) = (found % 17, 4096 + found);
        let _ = writeln!(
            session,
            "    trace syscalls:{name} if {field} == {low} || {field} > 100 && {field} < {high};"
        );
        let _ = writeln!(
            program,
            "tracepoint:syscalls:{name} /args->{field} == {low} || args->{field} > 100 && \
             args->{field} < {high}/ {{ printf(\"%d\\n\", args->{field}); }}"
        );
        found += 1;
        if found == clauses {
            session.push_str("}\n");
            return Ok(Some(Equivalent { tracec: session, bpftrace: program }));
        }
    }
    Ok(None)
}
