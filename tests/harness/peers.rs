//! Failures of other tools, each a test here. The numbers are those of the list of failures in the book.

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, TIMEOUT, finish};
use super::scopes::file;

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("peer failure 1: a bad filter does not trace unfiltered", bad_filter),
        bench.trial("peer failure 1: a bad trigger does not trace", bad_trigger),
        bench.trial("peer failure 2: an unknown event among good ones leaves no instance", unknown_event),
        bench.trial("peer failure 3: a failure half-way leaves no buffer behind", half_way),
        bench.trial("peer failure 4: a foreign instance survives", foreign_instance),
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
