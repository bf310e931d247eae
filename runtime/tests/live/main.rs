//! Sessions on a real tracefs, each in an instance of its own.
//!
//! The tracefs is `$TRACEC_TEST_TRACEFS`, else the mounted one, else a private mount. If there is none, every test is
//! skipped with a printed reason.

#[expect(unsafe_code, reason = "signal dispositions of a child between fork and exec")]
mod child;
mod ends;
mod events;
mod fixture;
mod journal;
mod shared;
mod sysctls;
mod transaction;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use fixture::{alone, open_tracefs};

/// A test's name and function.
type Test = (&'static str, fn() -> Result<(), Failed>);

fn main() -> ExitCode {
    if let Some(code) = child::run_if_asked() {
        return code;
    }
    let mut arguments = Arguments::from_args();
    // One test at a time: a child forked by one test holds the other tests' files open until its exec, which keeps
    // their instances busy and their journals locked.
    arguments.test_threads = Some(1);
    let tracefs = open_tracefs();
    let _alone = tracefs.as_ref().ok().map(|tracefs| alone(tracefs).expect("a lock on tracefs"));
    let skipped = tracefs.err();
    let tests =
        [transaction::TESTS, journal::TESTS, shared::TESTS, sysctls::TESTS, events::TESTS, ends::TESTS]
            .concat();
    let trials = tests
        .into_iter()
        .map(|(name, test)| Trial::test(name, test).with_ignored_flag(skipped.is_some()))
        .collect();
    if let Some(reason) = skipped {
        println!("SKIPPED: no tracefs for live tests: {reason}");
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
