//! What the kernel refuses: the message stands at the clause, and everything is taken back, whichever step it was.

use std::path::Path;

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, TIMEOUT, finish};

/// The events of the test session, one filter each.
const EVENTS: [&str; 4] = ["sched_process_exec", "sched_process_exit", "sched_process_fork", "sched_waking"];

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = Vec::new();
    for stale in 0..EVENTS.len() {
        let name = format!("a stale profile: filter {stale} is refused");
        trials.push(bench.trial(&name, move |bench| stale_profile(bench, stale)));
    }
    for place in 0..3 {
        let name = format!("a refused option in place {place}");
        trials.push(bench.trial(&name, move |bench| refused_option(bench, place)));
    }
    trials.push(bench.trial("an instance that is there is not touched", taken));
    trials
}

/// The checker believes a copy of the kernel that has a field more than the kernel itself.
fn stale_profile(bench: &Bench, stale: usize) -> Result<(), Failed> {
    let profile = tempfile::tempdir()?;
    let mut session = String::from("session stale {\n");
    for (index, event) in EVENTS.iter().enumerate() {
        let source = bench.tracefs.join(format!("events/sched/{event}/format"));
        let mut format = std::fs::read_to_string(source)?;
        if index == stale {
            let extra = "\tfield:int gone;\toffset:200;\tsize:4;\tsigned:1;\n\nprint fmt:";
            format = format.replacen("\nprint fmt:", extra, 1);
        }
        write(&profile.path().join(format!("events/sched/{event}/format")), &format)?;
        let field = if index == stale { "gone" } else { "common_pid" };
        session.push_str(&format!("    trace sched:{event} if {field} == 1;\n"));
    }
    session.push_str("}\n");
    let file = profile.path().join("stale.trc");
    write(&file, &session)?;
    let mut command = bench.tracec("run");
    command.arg("--kernel").arg(profile.path()).arg(&file);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?;
    // The kernel's own words, at the clause's line.
    finished.expect_stderr("T0505")?.expect_stderr("Field not found")?;
    finished.expect_stderr(&format!("stale.trc:{}:", stale + 2))?.expect_stderr("if gone == 1")?;
    Ok(())
}

fn refused_option(bench: &Bench, place: usize) -> Result<(), Failed> {
    let mut options = vec!["option overwrite off;", "option irq-info off;"];
    options.insert(place, "option test_nop_refuse;");
    let text = format!("{} trace sched:sched_process_exec;", options.join(" "));
    let mut command = bench.tracec("run");
    command.args(["-e", &text]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("T0505")?.expect_stderr("test_nop_refuse")?;
    Ok(())
}

fn taken(bench: &Bench) -> Result<(), Failed> {
    let foreign = bench.tracefs.join("instances/tracec-foreign");
    std::fs::create_dir(&foreign)?;
    let result = (|| {
        std::fs::write(foreign.join("events/sched/sched_switch/filter"), "prev_prio == 77")?;
        let mut command = bench.tracec("run");
        command.args(["--instance", "tracec-foreign", "-e", "sched:sched_switch", "--", "true"]);
        finish(command, TIMEOUT)?.expect_status(1)?.expect_stderr("T0506")?;
        let filter = std::fs::read_to_string(foreign.join("events/sched/sched_switch/filter"))?;
        if filter.trim() == "prev_prio == 77" { Ok(()) } else { Err(Failed::from(format!("now {filter}"))) }
    })();
    std::fs::remove_dir(&foreign)?;
    result
}

fn write(path: &Path, text: &str) -> Result<(), Failed> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(std::fs::write(path, text)?)
}
