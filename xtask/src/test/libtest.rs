//! The counts in the output of test binaries: of libtest, and of those with the same output.
//!
//! libtest does not support a test that detects at run time that it cannot run. The project's tests print `SKIPPED:
//! reason` and return; libtest counts them as passed and, with `--show-output`, prints the line below the name of the
//! test. A test binary with a harness of its own prints `SKIPPED name: reason` and counts the test as ignored.

use std::collections::BTreeMap;

use super::tally::{Skip, Tally};

/// Reads the lines of one or more test binaries.
#[derive(Debug, Default)]
pub struct Libtest {
    passed: u64,
    failed: u64,
    ignored: u64,
    results: u64,
    failures: Vec<String>,
    skips: BTreeMap<String, String>,
    notes: Vec<String>,
    section: Section,
    /// What failed tests have printed or returned, its first lines, by the name of the test.
    said: BTreeMap<String, Vec<String>>,
    /// The test whose output among the failures is being read.
    of_failure: Option<String>,
}

/// The most lines of a failed test's output that its failure has.
const MOST_LINES: usize = 15;

/// The part of a binary's output that a line belongs to.
#[derive(Debug, Default, PartialEq, Eq)]
enum Section {
    /// One line for each test.
    #[default]
    Tests,
    /// The output of a test: after `---- NAME stdout ----`.
    OutputOf(String),
    /// The names of the tests that passed: after `successes:`.
    Successes,
}

impl Libtest {
    /// Processes a line, and returns whether it should be shown: a list of passed tests should not.
    pub fn line(&mut self, line: &str) -> bool {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.section = Section::Tests;
            self.of_failure = None;
            return !self.result(result);
        }
        if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" ----")) {
            // libtest says `stdout`, libtest-mimic does not.
            let name = name.strip_suffix(" stdout").unwrap_or(name);
            self.of_failure = Some(name.to_owned());
            self.section = Section::OutputOf(name.to_owned());
            return true;
        }
        match line {
            "successes:" => {
                self.section = Section::Successes;
                return false;
            }
            "failures:" => {
                self.section = Section::Tests;
                self.of_failure = None;
            }
            // The end of a line in which the test has printed a line end.
            "FAILED" => {
                self.failures.push(self.current_test());
                return true;
            }
            _ => {}
        }
        if let Some(name) = &self.of_failure {
            let said = self.said.entry(name.clone()).or_default();
            if said.len() < MOST_LINES && !line.is_empty() {
                said.push(line.to_owned());
            }
        }
        if let Some(rest) = line.strip_prefix("SKIPPED") {
            self.skipped(rest);
            return true;
        }
        if let Some(note) = line.strip_prefix("NOTE: ") {
            self.notes.push(note.to_owned());
            return true;
        }
        match line.strip_prefix("test ") {
            Some(rest) => self.test(rest),
            None => !(self.section == Section::Successes || line.is_empty() || is_running(line)),
        }
    }

    /// Returns the counts, given how the program that ran the tests ended.
    ///
    /// A missing result, or a failing exit code without a counted failure, is a failure: a crashed test binary must not
    /// look like one that passed.
    pub fn finish(mut self, success: bool) -> Tally {
        let uncounted = self.failed.saturating_sub(self.failures.len() as u64);
        self.failures.extend((0..uncounted).map(|_| "a test without a name".to_owned()));
        if self.results == 0 {
            self.failures.push("no test result: the program did not get to its end".into());
        } else if !success && self.failures.is_empty() {
            self.failures.push("the program ended badly, and no test says why".into());
        }
        for failure in &mut self.failures {
            for line in self.said.remove(failure).unwrap_or_default() {
                failure.push_str("\n    ");
                failure.push_str(&line);
            }
        }
        // A skip that the binary did not count as ignored was counted as passed.
        let counted_as_passed = (self.skips.len() as u64).saturating_sub(self.ignored);
        let skip = |(test, why): (String, String)| Skip { test: Some(test), why };
        Tally {
            passed: self.passed.saturating_sub(counted_as_passed),
            failures: self.failures,
            skips: self.skips.into_iter().map(skip).collect(),
            notes: self.notes,
        }
    }

    /// Reads the text after `test `: `NAME ... ok`. Returns true if it should be shown.
    fn test(&mut self, rest: &str) -> bool {
        let Some((name, outcome)) = rest.split_once(" ... ") else { return true };
        // libtest-mimic aligns names in a column.
        let name = name.trim_end();
        if let Some(skipped) = outcome.strip_prefix("SKIPPED") {
            self.section = Section::OutputOf(name.to_owned());
            self.skipped(skipped);
            return true;
        }
        match outcome.split_once(", ").map_or((outcome, ""), |(word, reason)| (word, reason)) {
            ("ok", _) => false,
            ("FAILED", _) => {
                self.failures.push(name.to_owned());
                true
            }
            ("ignored", reason) => {
                let reason = if reason.is_empty() { "ignored" } else { reason };
                self.skips.entry(name.to_owned()).or_insert_with(|| reason.to_owned());
                true
            }
            // The test has printed text in the place of its outcome.
            _ => {
                self.section = Section::OutputOf(name.to_owned());
                true
            }
        }
    }

    /// Reads the text after `SKIPPED`: ` NAME: reason` or `: reason`.
    fn skipped(&mut self, rest: &str) {
        let (name, reason) = match (rest.strip_prefix(": "), rest.trim_start().split_once(": ")) {
            (Some(reason), _) => (self.current_test(), reason),
            (None, Some((name, reason))) => (name.to_owned(), reason),
            (None, None) => (self.current_test(), "no reason given"),
        };
        self.skips.insert(name, reason.to_owned());
    }

    /// Returns the test whose output is being read; a separate name for each line outside of such output.
    fn current_test(&self) -> String {
        match &self.section {
            Section::OutputOf(name) => name.clone(),
            _ => format!("unnamed test {}", self.skips.len() + 1),
        }
    }

    /// Reads the text after `test result: `: `ok. 5 passed; 0 failed; 1 ignored; ...`. Returns true if it is
    /// well-formed and all passed.
    fn result(&mut self, result: &str) -> bool {
        let Some((verdict, counts)) = result.split_once(". ") else { return false };
        self.results += 1;
        for count in counts.split("; ") {
            let Some((number, what)) = count.split_once(' ') else { continue };
            let Ok(number) = number.parse::<u64>() else { continue };
            match what {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                "ignored" => self.ignored += number,
                _ => {}
            }
        }
        verdict == "ok"
    }
}

/// Returns whether a line is like `running 12 tests`.
fn is_running(line: &str) -> bool {
    line.strip_prefix("running ").is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, success: bool) -> (Tally, Vec<&str>) {
        let mut libtest = Libtest::default();
        let shown = text.lines().filter(|line| libtest.line(line)).collect();
        (libtest.finish(success), shown)
    }

    #[test]
    fn results_of_several_binaries_add_up_and_are_quiet() {
        let text = "\nrunning 2 tests\ntest a::b ... ok\ntest c ... ok\n\nsuccesses:\n\nsuccesses:\n    a::b\n    c\n\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
            running 1 test\ntest d - should panic ... ok\n\
            test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 7 filtered out; finished in 0.00s\n";
        let (tally, shown) = read(text, true);
        assert_eq!((tally.passed, tally.failures.len(), tally.skips.len()), (3, 0, 0));
        assert!(shown.is_empty(), "{shown:?}");
    }

    #[test]
    fn notes_are_kept() {
        let text = "running 1 test\ntest a ... ok\n\nsuccesses:\n\n---- a stdout ----\nNOTE: 1.5 MB generated\n\n\n\
            successes:\n    a\n\n\
            test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let (tally, _) = read(text, true);
        assert_eq!((tally.passed, tally.notes), (1, vec!["1.5 MB generated".to_owned()]));
    }

    #[test]
    fn failures_are_named_and_their_output_is_shown() {
        let text = "running 2 tests\ntest a ... ok\ntest b ... FAILED\n\nfailures:\n\n---- b stdout ----\n\
            thread 'b' panicked at src/lib.rs:1:1:\nboom\n\nfailures:\n    b\n\n\
            test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let (tally, shown) = read(text, false);
        assert_eq!(tally.passed, 1);
        assert_eq!(tally.failures, ["b\n    thread 'b' panicked at src/lib.rs:1:1:\n    boom"]);
        assert!(shown.contains(&"boom") && shown.contains(&"test b ... FAILED"));
        assert!(!shown.contains(&"test a ... ok"));
    }

    #[test]
    fn a_test_that_skips_itself_is_not_a_pass() {
        let text = "running 2 tests\ntest a ... ok\ntest b ... ok\n\nsuccesses:\n\n---- b stdout ----\n\
            SKIPPED: no tracefs: not root\n\n\nsuccesses:\n    a\n    b\n\n\
            test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let (tally, shown) = read(text, true);
        assert_eq!(tally.passed, 1);
        assert_eq!(tally.skips, [Skip { test: Some("b".into()), why: "no tracefs: not root".into() }]);
        assert_eq!(shown, ["---- b stdout ----", "SKIPPED: no tracefs: not root"]);
    }

    #[test]
    fn a_harness_that_counts_skips_as_ignored_is_not_counted_twice() {
        let text = "test one.trc ... ok\ntest hist.trc ... ignored\nSKIPPED hist.trc: no hist triggers\n\
            test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
        let (tally, _) = read(text, true);
        assert_eq!(tally.passed, 1);
        assert_eq!(tally.skips, [Skip { test: Some("hist.trc".into()), why: "no hist triggers".into() }]);
    }

    #[test]
    fn names_in_a_column_are_names_and_a_reason_may_stand_in_their_line() {
        let text = "test a        ... ignored\ntest longer b ... SKIPPED: no root\nok\nSKIPPED a: no hist\n\
            test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\n";
        let (tally, _) = read(text, true);
        let skip = |test: &str, why: &str| Skip { test: Some(test.into()), why: why.into() };
        assert_eq!(tally.skips, [skip("a", "no hist"), skip("longer b", "no root")]);
        assert_eq!(tally.passed, 0);
    }

    #[test]
    fn a_failure_below_what_the_test_has_printed_has_its_name() {
        let text = "test a ... ok\ntest b   ... seed 7\na table\nFAILED\n\nfailures:\n\n---- b ----\nwhy\n\n\
            failures:\n    b\n\ntest result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let (tally, shown) = read(text, false);
        assert_eq!((tally.passed, tally.failures), (1, vec!["b\n    why".to_owned()]));
        assert!(shown.contains(&"a table") && shown.contains(&"why"));
    }

    #[test]
    fn an_ignored_test_keeps_its_reason() {
        let text = "test slow ... ignored, takes an hour\ntest other ... ignored\n\
            test result: ok. 0 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out\n";
        let (tally, _) = read(text, true);
        let reasons: Vec<&str> = tally.skips.iter().map(|skip| skip.why.as_str()).collect();
        assert_eq!(reasons, ["ignored", "takes an hour"]);
        assert_eq!(tally.passed, 0);
    }

    #[test]
    fn no_result_is_a_failure_even_with_exit_code_0() {
        for text in ["", "Segmentation fault\n", "running 3 tests\ntest a ... ok\n"] {
            let (tally, _) = read(text, true);
            assert_eq!((tally.passed, tally.failures.len()), (0, 1), "{text:?}");
        }
    }

    #[test]
    fn a_bad_end_is_a_failure_even_if_all_results_are_good() {
        let text = "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n";
        let (tally, _) = read(text, false);
        assert_eq!((tally.passed, tally.failures.len()), (2, 1));
    }

    #[test]
    fn a_count_of_failures_is_believed_without_names() {
        let text = "test result: FAILED. 2 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(read(text, false).0.failures.len(), 3);
    }

    #[test]
    fn odd_lines_do_no_harm() {
        let text = "test result: \ntest result: ok\ntest \nSKIPPED\nSKIPPED \ntest result: ok. x passed; ; 5\n---- stdout ----\n";
        let (tally, _) = read(text, true);
        assert_eq!(tally.passed, 0);
        assert_eq!(tally.skips.len(), 2);
    }
}
