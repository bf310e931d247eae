//! The comparison of our lines with the kernel's, event by event.

use std::collections::{BTreeMap, BTreeSet};

use libtest_mimic::Failed;

use crate::exceptions::{self, Exception};
use crate::lines::{Kernels, Line, has_hashed_addresses, head};

/// What was found so far.
#[derive(Default)]
pub(crate) struct Tally {
    events: BTreeMap<String, Compared>,
    /// How often each exception occurred.
    excepted: Vec<usize>,
    /// The lines that are equal except for hashed addresses, and their events.
    hashed: (usize, BTreeSet<String>),
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
    /// Compares the lines of a CPU.
    ///
    /// # Errors
    /// They are not of the same records.
    pub(crate) fn compare(&mut self, cpu: u32, ours: &[&Line], kernels: &Kernels) -> Result<(), Failed> {
        self.excepted.resize(exceptions::ALL.len(), 0);
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
            let is_it = |exception: &Exception| {
                exception.event == ours.event && (exception.is_it)(&ours.text, kernel)
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
        if let (1.., events) = &self.hashed {
            let events: Vec<&str> = events.iter().map(String::as_str).collect();
            println!(
                "{} lines equal except for hashed addresses beside strings: {}",
                self.hashed.0,
                events.join(" ")
            );
        }
        for (exception, count) in exceptions::ALL.iter().zip(&self.excepted) {
            if *count > 0 {
                println!("excepted: {:<40} {count:>7} lines: {}", exception.event, exception.reason);
            } else if self.has(exception.event) {
                failures.push(format!("the exception of {} did not occur", exception.event));
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
