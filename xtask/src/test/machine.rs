//! The live tests in a virtual machine: one script on its console, and the judgement of its output.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::libtest::Libtest;
use super::live_tests::{self, AGREEMENT, LIVE, LiveTest};
use super::payload::{
    self, ALL_TEXTS, Binaries, CYCLES_IN_MACHINE, END_POINTS, EVERY_IN_MACHINE, PROGRAM_CYCLES,
    SNAPSHOT_EVERY, TEXTS,
};
use super::tally::Tally;
use crate::mount::SETTLE;
use crate::vm::{self, Kernel, Payload};
use crate::workspace;

/// Paths in the machine.
const BIN: &str = "/bin";
const DATA: &str = "/tests";
const MODULES: &str = "/modules";
const TRACEFS: &str = "/sys/kernel/tracing";

/// What makes writing of filters quick: see [`agreement`].
const QUICK_FILTERS: &str = "rcupdate.rcu_expedited=1";

/// The mark before the name and the exit code of a step.
const BEGIN: &str = "@@ begin ";
const END: &str = "@@ end ";

/// The step that compares the tracing state before and after all the others.
const SNAPSHOT: &str = "snapshot";

/// Runs the live tests on one kernel, which end scripts at these points.
pub(super) fn live(kernel: Kernel, points: &str, tally: &mut Tally) -> Result<()> {
    let environment =
        &[(END_POINTS, points), (SNAPSHOT_EVERY, EVERY_IN_MACHINE), (PROGRAM_CYCLES, CYCLES_IN_MACHINE)];
    run(kernel, LIVE, &Further { environment, ..Further::default() }, tally)
}

/// Runs live tests of scripts on one kernel, which end scripts at these points.
pub(super) fn scripts(
    kernel: Kernel,
    tests: &'static [LiveTest],
    points: &str,
    tally: &mut Tally,
) -> Result<()> {
    run(kernel, tests, &Further { environment: &[(END_POINTS, points)], ..Further::default() }, tally)
}

/// Runs the trials of modules on one kernel, for which they were built.
pub(super) fn modules(kernel: Kernel, built: &Path, tally: &mut Tally) -> Result<()> {
    let further = Further {
        environment: &[("TRACEC_TEST_MODULES", MODULES), (SNAPSHOT_EVERY, EVERY_IN_MACHINE)],
        files: &[(built.to_owned(), MODULES.into())],
        ..Further::default()
    };
    run(kernel, live_tests::MODULES, &further, tally)
}

/// Asks conditions at the event of a module on one kernel, for which it was built. Filters are written as in
/// [`agreement`].
pub(super) fn pairs(
    kernel: Kernel,
    module: &Path,
    environment: &[(&str, &str)],
    tally: &mut Tally,
) -> Result<()> {
    // The name of the file is that of the module.
    let in_machine = Path::new("/").join(module.file_name().context("a module without a name")?);
    let named = ("TRACEC_TEST_PAIRS", &*in_machine.to_string_lossy());
    let further = Further {
        cmdline: &[QUICK_FILTERS],
        environment: &[&[named], environment].concat(),
        files: &[(module.to_owned(), in_machine.clone())],
    };
    run(kernel, live_tests::PAIRS, &further, tally)
}

/// Runs the agreement tests on one kernel. They write thousands of filters, and a kernel waits for all CPUs after each;
/// here by interrupting them, which has the same effect on filters and takes a fraction of the time.
pub(super) fn agreement(kernel: Kernel, environment: &[(&str, &str)], tally: &mut Tally) -> Result<()> {
    let further = Further { cmdline: &[QUICK_FILTERS], environment, ..Further::default() };
    run(kernel, AGREEMENT, &further, tally)
}

/// Compares the text of every event that can be made to occur on one kernel.
pub(super) fn texts(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    let environment = &[(TEXTS, ALL_TEXTS)];
    run(kernel, live_tests::TEXTS, &Further { environment, ..Further::default() }, tally)
}

/// What a machine has besides what every test needs.
#[derive(Default)]
struct Further<'a> {
    /// Arguments on the kernel's command line.
    cmdline: &'a [&'a str],
    /// Variables of the environment.
    environment: &'a [(&'a str, &'a str)],
    /// Files and directories: the path on the host, the path in the machine.
    files: &'a [(PathBuf, PathBuf)],
}

/// Runs tests on one kernel.
fn run(kernel: Kernel, tests: &'static [LiveTest], further: &Further<'_>, tally: &mut Tally) -> Result<()> {
    if !can_boot(kernel, tally) {
        return Ok(());
    }
    let directory = scratch()?;
    let binaries = Binaries::build(tests)?.stripped(directory.path())?;
    let cmdline = further.cmdline.iter().map(|&word| word.to_owned()).collect();
    let mut payload = Payload { cmdline, ..payload(&binaries) };
    payload.files.extend(further.files.iter().cloned());
    payload.env.extend(further.environment.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
    let outcome = vm::run(kernel, payload)?;
    let mut steps: Vec<&str> = tests.iter().map(|live| live.name).collect();
    steps.push(SNAPSHOT);
    for step in steps {
        tally.add(judge(step, &outcome.output));
    }
    Ok(())
}

/// Boots a kernel that is locked down and checks how a session is refused there.
pub(super) fn locked_down(kernel: Kernel, tally: &mut Tally) -> Result<()> {
    if !can_boot(kernel, tally) {
        return Ok(());
    }
    let directory = scratch()?;
    let binaries = Binaries::build(LIVE)?.stripped(directory.path())?;
    let outcome = vm::run(
        kernel,
        Payload {
            binaries: vec![binaries.tracec.clone()],
            command: format!("{BIN}/tracec run -e sched:sched_switch 2>&1"),
            cmdline: vec!["lockdown=confidentiality".to_owned()],
            ..Payload::default()
        },
    )?;
    if outcome.exit_code == 1 && outcome.output.contains("error[T0504]") {
        tally.pass();
    } else {
        tally.fail(format!("not the diagnostic of a locked-down kernel:\n{}", outcome.output));
    }
    Ok(())
}

/// Returns a directory for the files of one machine: several machines run at a time.
pub(super) fn scratch() -> Result<TempDir> {
    tempfile::Builder::new().prefix("tracec-payload-").tempdir().context("no temporary directory")
}

/// Returns whether this machine can boot the kernel; counts a skip if not.
pub(super) fn can_boot(kernel: Kernel, tally: &mut Tally) -> bool {
    let missing = vm::packages(kernel);
    if !missing.is_empty() {
        tally.skip_all(format!("a virtual machine needs {}", missing.join(", ")));
    }
    missing.is_empty()
}

fn payload(binaries: &Binaries) -> Payload {
    let tracec = Path::new(BIN).join("tracec");
    let environment = payload::environment(&tracec, Path::new(TRACEFS), Path::new(DATA));
    Payload {
        binaries: binaries.paths().into_iter().chain(programs()).collect(),
        files: vec![(workspace::root().join("tests"), DATA.into())],
        command: script(binaries.tests.iter().map(|(live, _)| *live)),
        // All live tests took 530 s on an emulated CPU, more than the default for a single command.
        timeout: 3 * vm::DEFAULT_TIMEOUT,
        env: environment
            .into_iter()
            .map(|(name, value)| (name, value.to_string_lossy().into_owned()))
            .collect(),
        ..Payload::default()
    }
}

/// Returns the programs of the table that this host has.
fn programs() -> impl Iterator<Item = PathBuf> {
    payload::PROGRAMS.iter().filter_map(|program| workspace::find_in_path(program))
}

/// Returns a shell script that runs each step between two marks, the second with its exit code.
fn script(tests: impl Iterator<Item = &'static LiveTest>) -> String {
    let before =
        format!("settle {TRACEFS} && {BIN}/xtask snapshot --tracefs {TRACEFS} /tmp/before || exit 1\n");
    let mut script = format!("{SETTLE}\n{before}");
    let snapshot = format!("{BIN}/xtask snapshot --tracefs {TRACEFS} --diff /tmp/before");
    let tests = tests.map(|live| (live.name, format!("{BIN}/{} {}", live.name, live.arguments.join(" "))));
    for (name, command) in tests.chain([(SNAPSHOT, snapshot)]) {
        script.push_str(&format!("echo '{BEGIN}{name}'; {command} 2>&1; echo \"{END}{name} $?\"\n"));
    }
    script
}

/// Returns the result of one step. A step without its second mark was cut short by a panic, a time-out, or the one
/// before.
fn judge(step: &str, output: &str) -> Tally {
    let mut tally = Tally::default();
    let Some((lines, exit)) = section(step, output) else {
        tally.fail(format!("{step} did not come to its end in the machine"));
        return tally;
    };
    if step != SNAPSHOT {
        let mut libtest = Libtest::default();
        for line in lines {
            libtest.line(line);
        }
        return libtest.finish(exit == 0);
    }
    if exit == 0 {
        tally.pass();
    } else {
        tally.fail(format!("the tracing state is not as before:\n{}", lines.join("\n")));
    }
    tally
}

/// Returns the lines between the marks of a step, and its exit code.
fn section<'a>(step: &str, output: &'a str) -> Option<(Vec<&'a str>, i32)> {
    let mut lines = output.lines().skip_while(|line| line.strip_prefix(BEGIN) != Some(step));
    lines.next()?;
    let mut inside = Vec::new();
    for line in lines {
        if let Some((name, code)) = line.strip_prefix(END).and_then(|rest| rest.rsplit_once(' ')) {
            return if name == step { Some((inside, code.parse().ok()?)) } else { None };
        }
        inside.push(line);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const OUTPUT: &str = "Linux version 6.1\n@@ begin live-a\nrunning 2 tests\ntest x ... ok\ntest y ... ok\n\
        test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n@@ end live-a 0\n\
        @@ begin live-b\nSegmentation fault\n@@ end live-b 139\n\
        @@ begin snapshot\nadded instances/left\n@@ end snapshot 1\n@@ begin live-c\nrunning 1 test\n";

    #[test]
    fn steps_are_counted() {
        let tally = judge("live-a", OUTPUT);
        assert_eq!((tally.passed, tally.failures.len()), (2, 0));
    }

    #[test]
    fn a_crash_an_early_end_and_an_absent_step_are_failures() {
        for step in ["live-b", "live-c", "live-d"] {
            let tally = judge(step, OUTPUT);
            assert_eq!((tally.passed, tally.failures.len()), (0, 1), "{step}");
        }
        assert_eq!(judge("live-a", "").failures.len(), 1);
    }

    #[test]
    fn a_difference_is_shown_in_the_failure() {
        let tally = judge(SNAPSHOT, OUTPUT);
        assert!(tally.failures[0].ends_with("added instances/left"));
        let same = judge(SNAPSHOT, "@@ begin snapshot\n@@ end snapshot 0\n");
        assert_eq!((same.passed, same.failures.len()), (1, 0));
    }

    #[test]
    fn a_mark_without_a_code_is_no_end() {
        assert_eq!(section("a", "@@ begin a\n@@ end a x\n"), None);
        assert_eq!(section("a", "@@ begin a\n@@ begin b\n@@ end b 0\n"), None);
        assert_eq!(section("a", "@@ begin ab\n@@ end ab 0\n"), None);
    }

    #[test]
    fn the_script_marks_every_live_test() {
        let script = script(LIVE.iter());
        for live in LIVE {
            assert!(script.contains(&format!("{BEGIN}{}", live.name)));
        }
    }
}
