//! Failures of other tools, each a test here.
//!
//! Failure 9, what an unclean exit leaves and a revert that was never tried, has its tests where sessions are killed
//! (`kills.rs`, `programs.rs`, `kbuild.rs`) and where nobody confirms them (`started.rs`). Failure 10, a restore that is
//! written by hand beside what was applied, has them where each file is edited in turn (`started.rs`), and where a session is
//! killed at each of its system calls (`system_calls.rs`): both say so in their names.

use std::process::Command;

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, TIMEOUT, finish};
use super::scopes::{ask, file};
use super::started::{Sessions, same};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("peer failure 1: a bad filter does not trace unfiltered", bad_filter),
        bench.trial("peer failure 1: a bad trigger does not trace", bad_trigger),
        bench.trial("peer failure 2: an unknown event among good ones leaves no instance", unknown_event),
        bench.trial("peer failure 3: a failure half-way leaves no buffer behind", half_way),
        bench.trial("peer failure 4: a foreign instance survives", foreign_instance),
        bench.trial("peer failure 5: a condition on a recording loses nothing of its end", end_of_recording),
        bench.trial("peer failure 7: an unknown option is an error", unknown_option),
        bench.trial("peer failure 12: what the kernel refuses stands at its clause", at_clause),
    ]
}

/// Checks for a non-zero status, the message at the clause, and no records.
fn refused(bench: &Bench, text: &str, at: &str, code: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("refused.trc");
    std::fs::write(&file, format!("session refused {{\n{text}\n}}\n"))?;
    let mut command = bench.tracec("run");
    command.arg(&file).args(["--", "true"]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr(code)?.expect_stderr(at)?;
    if finished.stdout.is_empty() { Ok(()) } else { Err(format!("it traced\n{finished}").into()) }
}

fn bad_filter(bench: &Bench) -> Result<(), Failed> {
    refused(bench, "trace sched:sched_switch if bogus == 1;", "refused.trc:2:29", "T0102")
}

fn bad_trigger(bench: &Bench) -> Result<(), Failed> {
    refused(bench, "trace sched:sched_switch { trigger stacktrase; }", "refused.trc:2:36", "T0107")
}

fn unknown_event(bench: &Bench) -> Result<(), Failed> {
    refused(bench, "trace sched:sched_switch;\ntrace sched:sched_nothing;", "refused.trc:3:7", "T0101")
}

/// Asks for a large buffer, then a write is refused.
fn half_way(bench: &Bench) -> Result<(), Failed> {
    let text = "buffer 8MiB per cpu;\noption test_nop_refuse;\ntrace sched:sched_switch;";
    refused(bench, text, "refused.trc:3:", "T0505")
}

/// Checks that a user's instance with a filter of its own, and top-level state, are unchanged after a session that
/// worked.
fn foreign_instance(bench: &Bench) -> Result<(), Failed> {
    let foreign = bench.tracefs.join("instances/tracec-users-own");
    std::fs::create_dir(&foreign)?;
    let result = (|| {
        let filter = foreign.join("events/sched/sched_switch/filter");
        std::fs::write(&filter, "prev_prio == 77")?;
        std::fs::write(foreign.join("events/sched/sched_switch/enable"), "1")?;
        let mut command = bench.tracec("run");
        command.args(["-e", "sched:sched_switch if prev_prio == 1", "--", "true"]);
        finish(command, TIMEOUT)?.expect_status(0)?;
        let kept = std::fs::read_to_string(&filter)?;
        let enabled = std::fs::read_to_string(foreign.join("events/sched/sched_switch/enable"))?;
        if kept.trim() == "prev_prio == 77" && enabled.trim() == "1" {
            Ok(())
        } else {
            Err(Failed::from(format!("now filter {kept:?}, enable {enabled:?}")))
        }
    })();
    std::fs::remove_dir(&foreign)?;
    result
}

/// A condition that holds for every second record, the last one among them.
fn end_of_recording(bench: &Bench) -> Result<(), Failed> {
    const OTHER: i32 = 1_900_000_011;
    const WANTED: i32 = 1_900_000_012;
    const PAIRS: usize = 500;
    let sessions = Sessions::new(bench)?;
    let text = format!("trace syscalls:sys_enter_kill if pid in {{{OTHER}, {WANTED}}};");
    sessions.start(&text, "all.dat", &[])?.expect_status(0)?;
    for _ in 0..PAIRS {
        ask(OTHER);
        ask(WANTED);
    }
    sessions.run(&["stop"])?.expect_status(0)?;
    let mut command = Command::new(&bench.tracec);
    command
        .arg("filter")
        .arg(sessions.path("all.dat"))
        .arg(format!("syscalls:sys_enter_kill if pid == {WANTED}"));
    let filtered = finish(command, TIMEOUT)?;
    filtered.expect_status(0)?;
    let of_wanted = filtered.stdout.lines().filter(|line| line.contains("sys_kill")).count();
    same(&of_wanted, &PAIRS)?;
    sessions.nothing_is_left()
}

fn unknown_option(bench: &Bench) -> Result<(), Failed> {
    refused(bench, "option no-such-option;\ntrace sched:sched_switch;", "refused.trc:2:8", "T0105")
}

/// `test_nop_refuse` is an option that each kernel refuses: its text has no message for that.
fn at_clause(bench: &Bench) -> Result<(), Failed> {
    let file = file("session refused {\n    trace sched:sched_switch;\n    option test_nop_refuse;\n}\n")?;
    let mut command = bench.tracec("run");
    command.arg(file.path());
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("error[T0505]")?.expect_stderr(".trc:3:5")?;
    finished.expect_stderr("EINVAL")?;
    Ok(())
}
