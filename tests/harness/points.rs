//! The points at which tests end what they run.

use libtest_mimic::Failed;

/// The variable for the points at which scripts and sessions are ended, as `FIRST/EVERY`: every EVERYth of all, from
/// the one with the number FIRST on. `0/1` is all of them.
const POINTS: &str = "TRACEC_END_POINTS";
const FEW: &str = "0/128";

/// A choice among the points at which scripts and sessions are ended.
pub(crate) struct Points {
    first: usize,
    every: usize,
}

impl Points {
    pub(crate) fn chosen() -> Result<Points, Failed> {
        let text = std::env::var(POINTS).unwrap_or_else(|_| FEW.to_owned());
        let numbers = text.split_once('/').and_then(|(first, every)| {
            Some(Points { first: first.parse().ok()?, every: every.parse().ok().filter(|every| *every > 0)? })
        });
        numbers.ok_or_else(|| format!("{POINTS}={text}: not FIRST/EVERY").into())
    }

    /// Returns whether to test the session or signal with this number: with `32/128` one of four.
    pub(crate) fn takes_one(&self, number: usize) -> bool {
        let every = (self.every / 32).max(1);
        number % every == self.first / 32 % every
    }

    /// Returns the chosen ones of all points, at least one, and prints how many they are.
    pub(crate) fn of<'a, T>(&self, all: &'a [T], what: &str) -> Vec<&'a T> {
        let first = self.first % self.every.min(all.len()).max(1);
        let chosen: Vec<&T> = all.iter().skip(first).step_by(self.every).collect();
        println!("\nNOTE: {what}: {} of {} points", chosen.len(), all.len());
        chosen
    }
}
