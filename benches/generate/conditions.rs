//! Conditions of any number of atoms over `sched:sched_switch`, in shapes that are expensive for passes that compare
//! atoms with each other.

/// The name of a shape, and a function that returns its text with about so many atoms.
type Shape = (&'static str, fn(usize) -> String);

/// A pass that compares each atom with all others would take quadratic time on each of these.
pub(crate) const SHAPES: [Shape; 14] = [
    ("one number, all different", |atoms| joined(atoms, " && ", |i| format!("prev_pid != {}", 2 * i))),
    ("one number, any of many", |atoms| joined(atoms, " || ", |i| format!("prev_pid == {}", 3 * i))),
    ("nested bounds", |atoms| joined(atoms, " && ", |i| format!("prev_state > {i}"))),
    ("nested bounds, the strongest first", |atoms| {
        joined(atoms, " && ", |i| format!("prev_state > {}", atoms - i))
    }),
    ("one text", |atoms| joined(atoms, " || ", |i| format!("prev_comm == \"{i}\""))),
    ("patterns of one text", |atoms| joined(atoms, " && ", |i| format!("prev_comm ~ \"*{i}*\""))),
    ("many fields", |atoms| joined(atoms, " && ", |i| format!("{} != {}", field(i), i % 100))),
    ("many pairs", |atoms| joined(atoms / 2, " && ", |i| format!("({} != 1 || prev_prio == {i})", field(i)))),
    ("computed", |atoms| joined(atoms, " && ", |i| format!("prev_state + {i} != 0"))),
    ("a chain of implications", |atoms| chain(atoms, |i, _| i + 1)),
    ("a chain of implications, backwards", |atoms| chain(atoms, |i, links| links - i)),
    ("constants", |atoms| {
        format!("next_pid == 1 || {}", joined(atoms, " || ", |i| format!("prev_prio - {i} > 5000000000")))
    }),
    ("constants beside contradictions", |atoms| {
        let any = joined(atoms / 2, " || ", |i| format!("prev_pid == {i} && prev_prio - {i} < 5000000000"));
        format!("prev_pid == 4 && ({any})")
    }),
    ("one text, all others excluded", |atoms| {
        format!("prev_comm == \"a\" && {}", joined(atoms, " && ", |i| format!("prev_comm != \"b{i}\"")))
    }),
];

fn joined(count: usize, by: &str, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(by)
}

fn field(index: usize) -> &'static str {
    const FIELDS: [&str; 4] = ["prev_pid", "prev_state", "next_pid", "next_prio"];
    FIELDS[index % FIELDS.len()]
}

/// Returns a chain in which each link implies the next. No two numbers are equal, so that none can be joined.
fn chain(atoms: usize, place: fn(usize, usize) -> usize) -> String {
    let links = atoms / 2;
    let link = |i| {
        let at = place(i, links);
        format!("(prev_state ^ {at} != 0 || prev_state ^ {} == 0)", at + 1)
    };
    format!("prev_state ^ 1 == 0 && {}", joined(links, " && ", link))
}
