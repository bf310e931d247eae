//! The comparison of our lines with the kernel's, event by event.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Failed;

use crate::exceptions::{self, Exception, Of, is_escaped};
use crate::lines::{Kernels, Line, has_hashed_addresses, head};

/// What was found so far.
#[derive(Default)]
pub(crate) struct Tally {
    events: BTreeMap<String, Compared>,
    /// How often each exception occurred.
    excepted: Vec<usize>,
    /// Whether records were injected.
    injected: bool,
    /// The lines that are equal except for hashed addresses, and their events.
    hashed: (usize, BTreeSet<String>),
    /// The same of lines in which control characters are escaped.
    escaped: (usize, BTreeSet<String>),
    /// The release of the kernel.
    release: (u32, u32),
}

/// What was found of an event.
#[derive(Default)]
struct Compared {
    equal: usize,
    excepted: usize,
    different: usize,
    /// The first difference: our line and the kernel's.
    example: Option<(String, String)>,
}

impl Tally {
    pub(crate) fn new(release: (u32, u32)) -> Self {
        Tally { release, ..Tally::default() }
    }

    /// Compares the lines of a CPU, whose records were injected or not.
    ///
    /// # Errors
    /// They are not of the same records.
    pub(crate) fn compare(
        &mut self,
        (cpu, injected): (u32, bool),
        ours: &[&Line],
        kernels: &Kernels,
    ) -> Result<(), Failed> {
        self.excepted.resize(exceptions::ALL.len(), 0);
        self.injected |= injected && !ours.is_empty();
        for (index, (ours, kernel)) in ours.iter().zip(&kernels.lines).enumerate() {
            let compared = self.events.entry(ours.event.clone()).or_default();
            if ours.text == *kernel {
                compared.equal += 1;
                continue;
            }
            let shown = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            if head(&ours.text) != head(kernel) {
                return Err(format!(
                    "cpu {cpu}, record {index}: lines of different records\n  ours:   {}\n  kernel: {}",
                    shown(&ours.text),
                    shown(kernel)
                )
                .into());
            }
            let others = kernels.unhashed.get(head(kernel)).map_or(&[][..], Vec::as_slice);
            if others.contains(&ours.text) {
                compared.equal += 1;
                continue;
            }
            if !kernels.unhashed.is_empty() && has_hashed_addresses(&ours.text, kernel) {
                self.hashed.0 += 1;
                self.hashed.1.insert(ours.event.clone());
                continue;
            }
            if is_escaped(&ours.text, kernel) {
                self.escaped.0 += 1;
                self.escaped.1.insert(ours.event.clone());
                continue;
            }
            let is_it = |exception: &Exception| {
                let is_of = match exception.of {
                    Of::Event(event) => event == ours.event,
                    Of::EventsBefore(start, release) => {
                        self.release < release && ours.event.starts_with(start)
                    }
                    Of::Injected => injected,
                };
                is_of && (exception.is_it)(&ours.text, kernel)
            };
            if let Some(found) = exceptions::ALL.iter().position(is_it) {
                self.excepted[found] += 1;
                compared.excepted += 1;
            } else {
                compared.different += 1;
                compared.example.get_or_insert_with(|| (shown(&ours.text), shown(kernel)));
            }
        }
        match (ours.len(), kernels.lines.len()) {
            (ours, kernels) if ours == kernels => Ok(()),
            (ours, kernels) => {
                Err(format!("cpu {cpu}: {ours} records, and the kernel printed {kernels}").into())
            }
        }
    }

    /// Prints what was found, and returns the number of events outside of `syscalls` and of those in it whose lines are
    /// all equal or excepted.
    ///
    /// # Errors
    /// A line differs without an exception, or an exception did not occur though its event was recorded.
    pub(crate) fn finish(&self) -> Result<(usize, usize), Failed> {
        let mut failures = Vec::new();
        let (mut equal, mut excepted, mut different) = (0, 0, 0);
        let (mut events, mut calls) = (0, 0);
        for (event, compared) in &self.events {
            equal += compared.equal;
            excepted += compared.excepted;
            different += compared.different;
            if let Some((ours, kernel)) = &compared.example {
                println!("{event}: {} differ\n  ours:   {ours}\n  kernel: {kernel}", compared.different);
                failures.push(format!("{event} differs"));
            } else if event.starts_with("syscalls:") {
                calls += 1;
            } else {
                events += 1;
            }
        }
        println!(
            "{} events outside of syscalls and {} in it were recorded",
            self.recorded(false),
            self.recorded(true)
        );
        println!("{events} and {calls} of them have the kernel's lines");
        println!("{equal} lines equal, {excepted} excepted, {different} different");
        for (why, (count, events)) in
            [("hashed addresses beside strings", &self.hashed), ("escaped control characters", &self.escaped)]
        {
            if *count > 0 {
                let events: Vec<&str> = events.iter().map(String::as_str).collect();
                println!("{count} lines equal except for {why}: {}", events.join(" "));
            }
        }
        for (exception, count) in exceptions::ALL.iter().zip(&self.excepted) {
            let (name, was_recorded) = match exception.of {
                Of::Event(event) => (event, self.has(event)),
                Of::EventsBefore(start, release) => {
                    let is_of = |event: &String| self.release < release && event.starts_with(start);
                    (start, self.events.keys().any(is_of))
                }
                Of::Injected => ("injected records", self.injected),
            };
            if *count > 0 {
                println!("excepted: {name:<40} {count:>7} lines: {}", exception.reason);
            } else if was_recorded {
                failures.push(format!("the exception of {name} did not occur"));
            }
        }
        if failures.is_empty() { Ok((events, calls)) } else { Err(failures.join("\n").into()) }
    }

    /// Returns the number of recorded events in `syscalls`, or outside of it.
    fn recorded(&self, calls: bool) -> usize {
        self.events.keys().filter(|event| event.starts_with("syscalls:") == calls).count()
    }

    /// Returns whether an event was recorded.
    pub(crate) fn has(&self, event: &str) -> bool {
        self.events.contains_key(event)
    }
}
