//! Live tests: sessions on a real kernel, with independent snapshots of tracefs before and after.
//!
//! A file `tests/live/NAME.trc` is a test; its directives stand in `// WORD: ..` comments and are described in
//! `tests/harness/directives.rs`. Tests that need more than one run of `tracec` are functions of the modules below
//! `tests/harness/`.
//!
//! The environment sets the paths, so that the same binary runs on a development machine and inside a virtual one:
//! TRACEC_BIN (the command under test), TRACEC_TEST_TRACEFS (a mounted tracefs), TRACEC_TEST_DATA (this directory).

mod harness;

use libtest_mimic::{Arguments, Trial};

fn main() {
    if harness::scopes::load() {
        return;
    }
    let arguments = Arguments::from_args();
    let bench = match harness::bench::Bench::find() {
        Ok(bench) => bench,
        Err(reason) => {
            println!("SKIPPED live: {reason}");
            libtest_mimic::run(&arguments, Vec::new()).exit();
        }
    };
    let mut trials: Vec<Trial> = harness::directives::trials(&bench);
    trials.extend(harness::signals::trials(&bench));
    trials.extend(harness::kills::trials(&bench));
    trials.extend(harness::system_calls::trials(&bench));
    trials.extend(harness::clocks::trials(&bench));
    trials.extend(harness::own_tasks::trials(&bench));
    trials.extend(harness::refusals::trials(&bench));
    trials.extend(harness::bad_input::trials(&bench));
    trials.extend(harness::kernels::trials(&bench));
    trials.extend(harness::peers::trials(&bench));
    trials.extend(harness::host::trials(&bench));
    trials.extend(harness::programs::trials(&bench));
    trials.extend(harness::recordings::trials(&bench));
    trials.extend(harness::moved::trials(&bench));
    trials.extend(harness::filters::trials(&bench));
    trials.extend(harness::scopes::trials(&bench));
    trials.extend(harness::life::trials(&bench));
    trials.extend(harness::started::trials(&bench));
    trials.extend(harness::dumps::trials(&bench));
    trials.extend(harness::snapshots::trials(&bench));
    trials.extend(harness::collects::trials(&bench));
    trials.extend(harness::cleans::trials(&bench));
    trials.extend(harness::rotations::trials(&bench));
    trials.extend(harness::script::trials(&bench));
    trials.extend(harness::tasks::trials(&bench));
    trials.extend(harness::modules::trials(&bench));
    // Tests share one tracefs and compare all of it, so they run one after the other.
    let arguments = Arguments { test_threads: Some(1), ..arguments };
    libtest_mimic::run(&arguments, trials).exit();
}
