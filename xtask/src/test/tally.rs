//! The results of the tests of a part, and the table at the end of a run.

use std::fmt::{self, Write as _};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::MaySkip;

/// The counts of one part.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// The number of passed tests.
    pub passed: u64,
    /// One sentence or test name for each failure.
    pub failures: Vec<String>,
    /// Each test that was skipped.
    pub skips: Vec<Skip>,
    /// Figures that tests report, which are not verdicts.
    pub notes: Vec<String>,
}

/// A test or part that was skipped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skip {
    /// The test; `None` for the whole part.
    pub test: Option<String>,
    /// The reason.
    pub why: String,
}

impl Tally {
    /// Counts one check that held.
    pub fn pass(&mut self) {
        self.passed += 1;
    }

    /// Counts one check that failed.
    pub fn fail(&mut self, what: impl Into<String>) {
        self.failures.push(what.into());
    }

    /// Counts one test that was skipped.
    pub fn skip(&mut self, test: impl Into<String>, why: impl Into<String>) {
        self.skips.push(Skip { test: Some(test.into()), why: why.into() });
    }

    /// Skips the whole part, which cannot run on this machine.
    pub fn skip_all(&mut self, why: impl Into<String>) {
        self.skips.push(Skip { test: None, why: why.into() });
    }

    /// Adds the counts of another.
    pub fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failures.extend(other.failures);
        self.skips.extend(other.skips);
        self.notes.extend(other.notes);
    }

    /// Turns skips into failures, except of the single tests that may be skipped.
    pub fn forbid_skips(&mut self, but: MaySkip) {
        let allowed = |skip: &Skip| skip.test.is_some() && but.allows(&skip.why);
        let (kept, forbidden) = std::mem::take(&mut self.skips).into_iter().partition(allowed);
        self.skips = kept;
        let forbidden: Vec<Skip> = forbidden;
        self.failures
            .extend(forbidden.iter().map(|skip| format!("{skip} (no skip is allowed with CI=true)")));
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failures.len(), self.skips.len())
    }
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.test {
            Some(test) => write!(f, "SKIPPED {test}: {}", self.why),
            None => write!(f, "SKIPPED: {}", self.why),
        }
    }
}

/// A part that has run.
#[derive(Debug)]
pub struct Finished {
    /// Its name.
    pub name: &'static str,
    /// Its counts.
    pub tally: Tally,
    /// The time it took.
    pub seconds: Duration,
}

/// Returns the end of a run: a table of the parts, each figure, each failure and skip, and the sum as the last line.
pub fn summary(parts: &[Finished]) -> String {
    let mut text =
        format!("{:<14} {:>7} {:>7} {:>8} {:>8}\n", "part", "passed", "failed", "skipped", "seconds");
    let mut sum = (0, 0, 0);
    for Finished { name, tally, seconds } in parts {
        let (passed, failed, skipped) = (tally.passed, tally.failures.len(), tally.skips.len());
        let seconds = seconds.as_secs_f64();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name:<14} {passed:>7} {failed:>7} {skipped:>8} {seconds:>8.1}");
        sum = (sum.0 + passed, sum.1 + failed, sum.2 + skipped);
    }
    let _ = writeln!(text);
    for note in parts.iter().flat_map(|part| &part.tally.notes) {
        let _ = writeln!(text, "{note}");
    }
    // Failures come last, where the end of a log shows them.
    for Finished { name, tally, .. } in parts {
        for failure in &tally.failures {
            let _ = writeln!(text, "FAILED {name}: {failure}");
        }
        for skip in &tally.skips {
            let test = skip.test.as_deref().map(|test| format!("{test}: ")).unwrap_or_default();
            let _ = writeln!(text, "SKIPPED {name}: {test}{}", skip.why);
        }
    }
    let _ = write!(text, "{} passed, {} failed, {} skipped", sum.0, sum.1, sum.2);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_the_last_line() {
        let mut unit = Tally { passed: 40, ..Tally::default() };
        unit.fail("a::b");
        unit.notes.push("grammar: built in 0.31 s".into());
        let mut live = Tally { passed: 2, ..Tally::default() };
        live.skip("hist", "this kernel has no hist triggers");
        live.skip_all("no root");
        let part = |name, tally| Finished { name, tally, seconds: Duration::from_millis(1250) };
        let text = summary(&[part("unit", unit), part("live", live)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1], "unit                40       1        0      1.2");
        assert!(lines.contains(&"FAILED unit: a::b"));
        assert!(lines.contains(&"SKIPPED live: hist: this kernel has no hist triggers"));
        assert!(lines.contains(&"SKIPPED live: no root"));
        assert!(lines.contains(&"grammar: built in 0.31 s"));
        assert_eq!(lines.last(), Some(&"42 passed, 1 failed, 2 skipped"));
    }

    #[test]
    fn an_empty_run_sums_to_nothing() {
        assert!(summary(&[]).ends_with("0 passed, 0 failed, 0 skipped"));
    }

    #[test]
    fn a_skipped_part_is_never_allowed_where_skips_are_forbidden() {
        let mut tally = Tally::default();
        tally.skip("one", "no hist");
        tally.skip_all("no root");
        tally.forbid_skips(MaySkip::AnyFeature);
        assert_eq!(tally.skips, [Skip { test: Some("one".into()), why: "no hist".into() }]);
        assert_eq!(tally.failures.len(), 1);
        assert!(tally.failures[0].starts_with("SKIPPED: no root"));
        tally.forbid_skips(MaySkip::Nothing);
        assert_eq!((tally.skips.len(), tally.failures.len()), (0, 2));
    }
}
