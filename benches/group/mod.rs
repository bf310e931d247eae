//! The cost of a condition for a group of events, relative to its cost for one of them.

use std::io;
use std::path::Path;
use std::time::Duration;

use super::measure::{median, report};
use super::{Verdict, checked};

/// Atoms of the condition.
const ATOMS: usize = 2000;

/// The goal: the fields in the condition have the same offset in all events.
const MOST: f64 = 2.0;

/// Checks a condition over every event of a kernel, and over one.
pub(crate) fn against_one(scratch: &Path, kernel: &Path) -> io::Result<Verdict> {
    let cases = [("one", "sched:sched_switch"), ("all", "*:*")]
        .into_iter()
        // The cost of an event without the condition is subtracted.
        .flat_map(|(name, events)| [2, ATOMS].map(|atoms| (format!("{name}_{atoms}.trc"), events, atoms)));
    let mut files = Vec::new();
    for (name, events, atoms) in cases {
        let file = scratch.join(name);
        std::fs::write(&file, session(events, atoms))?;
        files.push(file);
    }
    let mut times = vec![Vec::new(); files.len()];
    for _ in 0..21 {
        for (file, times) in files.iter().zip(&mut times) {
            times.push(checked(file, kernel)?.cpu);
        }
    }
    let medians: Vec<Duration> = times.into_iter().map(median).collect();
    let [one, all] = [0, 2].map(|few| medians[few + 1].saturating_sub(medians[few]));
    let ratio = report(
        &format!("check of a condition of {ATOMS} atoms, CPU time: every event of a kernel / one event"),
        all,
        one,
    );
    let missed = (ratio > MOST).then(|| format!("{ratio:.1} times one event, more than {MOST} times"));
    Ok(Verdict::of(missed.into_iter().collect()))
}

/// Returns a session that records some events under a condition on fields that all events have.
fn session(events: &str, atoms: usize) -> String {
    let part = |number| format!("common_pid == {number} && common_flags != {}", number % 200);
    let parts: Vec<String> = (1..=atoms / 2).map(part).collect();
    format!("session group {{ trace {events} if {}; }}\n", parts.join(" || "))
}
