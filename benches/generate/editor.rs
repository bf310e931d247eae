//! Texts of about 5,000 lines for the language server: sessions as they are written, and those that are the most work.

use super::{SHAPES, one_session};

/// The lines of each text.
const LINES: usize = 5000;

/// The clauses of a session beside those that record events.
const SETTINGS: &str = "    buffer 4MiB per cpu;\n    clock mono;\n    stop after 10s;\n";

/// A text, and whether the goals apply to it.
pub(crate) struct EditedText {
    /// What it consists of.
    pub(crate) name: &'static str,
    /// The text.
    pub(crate) text: String,
    /// Whether the server has to reach its goals on it.
    pub(crate) has_goals: bool,
}

/// Returns the texts; `events` are all those of the kernel, as clauses name them.
pub(crate) fn texts(events: &[String]) -> Vec<EditedText> {
    let text = |name, has_goals, text| EditedText { name, text, has_goals };
    vec![
        text("one session without conditions", true, one_session(LINES)),
        text("sessions of 16 lines", true, numbered(LINES / 16, of_shapes)),
        text("sessions that include one, some with mistakes", true, connected(LINES / 16)),
        text("one session of conditions", true, conditions(LINES)),
        text("each event of the kernel, three times", true, numbered(3, |number| of_each(number, events))),
        text("sessions of one line", true, numbered(LINES, of_one_line)),
        text("2,500 probes, each recorded", false, probes(LINES / 2)),
        text("one pattern, 4,990 times", false, of_patterns(4990)),
        text("three patterns in each of 5,000 sessions", false, numbered(LINES, of_three_patterns)),
    ]
}

fn numbered(count: usize, session: impl Fn(usize) -> String) -> String {
    (0..count).map(session).collect()
}

fn of_shapes(number: usize) -> String {
    let clause = |(event, condition, _): &(&str, &str, &str)| {
        format!("    trace {} if {condition};\n", event.replacen('/', ":", 1))
    };
    let clauses: String = SHAPES.iter().map(clause).collect();
    format!("session s{number} {{\n{SETTINGS}{clauses}    output \"s{number}.txt\";\n}}\n")
}

/// Returns sessions that depend on more than themselves: they include another, a lint has a level, one lacks a semicolon, and
/// twelve name something that no kernel has.
fn connected(count: usize) -> String {
    let session = |number: usize| {
        let session =
            of_shapes(number).replacen(SETTINGS, "    include settings;\n", 1).replace("< 100", "< LOW");
        match number {
            40 => session.replacen(" && next_comm == \"bash\";", " && next_comm == \"bash\"", 1),
            _ if number % 26 == 3 => session.replacen("sched_waking if prio", "sched_waking if prioriti", 1),
            _ => session,
        }
    };
    let head =
        format!("lint allow duplicate-value;\n\nconst LOW = 100;\n\nsession settings {{\n{SETTINGS}}}\n");
    head + &numbered(count, session)
}

fn conditions(count: usize) -> String {
    let clause = |number: usize| {
        let (event, condition, _) = SHAPES[number % SHAPES.len()];
        format!("    trace {} if {condition};\n", event.replacen('/', ":", 1))
    };
    format!("session all {{\n{}}}\n", numbered(count, clause))
}

fn of_each(number: usize, events: &[String]) -> String {
    let clause = |(index, event)| format!("    trace {event} if common_pid > {index};\n");
    let clauses: String = events.iter().enumerate().map(clause).collect();
    format!("session s{number} {{\n{clauses}}}\n")
}

fn of_one_line(number: usize) -> String {
    format!("session s{number} {{ trace sched:sched_switch if prev_prio > {}; }}\n", number % 100)
}

fn of_three_patterns(number: usize) -> String {
    format!("session s{number} {{ trace sched:*; trace block:*; trace irq:*; }}\n")
}

fn probes(count: usize) -> String {
    let probe = |number| format!("event e{number} at kprobe vfs_read(x: u32);\n");
    let clause = |number| format!("    trace e{number} if x > {number};\n");
    let (probes, clauses): (String, String) =
        ((0..count).map(probe).collect(), (0..count).map(clause).collect());
    format!("{probes}session s {{\n{clauses}}}\n")
}

fn of_patterns(count: usize) -> String {
    let clause = |number| format!("    trace sched:* if common_pid > {number};\n");
    format!("session s {{\n{}}}\n", (0..count).map(clause).collect::<String>())
}
