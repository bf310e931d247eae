//! Every way in which a session can be ended, and that it leaves nothing behind.

mod catchable;
mod stalled;

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;

use super::bench::{Bench, TIMEOUT, finish, start};

const SESSION: &str = "trace sched:sched_process_exec; trace sched:sched_switch { trigger stacktrace; }";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = catchable::trials(bench);
    trials.extend(stalled::trials(bench));
    trials.push(bench.trial("signal KILL, then recover", killed));
    trials.push(bench.trial("a closed pipe ends a session", closed_pipe));
    trials.push(bench.trial("a closed pipe ends a session with a command", closed_pipe_with_command));
    trials.push(bench.trial("a closed pipe does not hide a refusal", refusal_without_reader));
    trials.push(bench.trial("a command's status is passed on", command_status));
    trials.push(bench.trial("a command that does not exist", no_command));
    trials
}

/// SIGKILL leaves the instance and the journal; `recover` removes both, and only those.
fn killed(bench: &Bench) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(["--instance", "tracec-killed", "-e", SESSION]);
    let mut running = start(command)?;
    running.until("sched_switch:", TIMEOUT)?;
    running.signal(Signal::KILL)?;
    running.wait(TIMEOUT)?;
    if !bench.has("instances/tracec-killed") {
        return Err("SIGKILL left no instance: the test proves nothing".into());
    }
    let recovered = finish(bench.tracec("recover"), TIMEOUT)?;
    recovered.expect_status(0)?.expect_stdout("tracec-killed")?;
    Ok(())
}

/// The number of lines that are read before a pipe is closed. The first record may be the stack of an event of another
/// CPU, which has fewer lines.
const LINES: usize = 40;

fn closed_pipe(bench: &Bench) -> Result<(), Failed> {
    let tracec =
        format!("'{}' run --tracefs '{}' -e '{SESSION}'", bench.tracec.display(), bench.tracefs.display());
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &format!("({tracec}; echo \"status $?\" >&2) | head -n {LINES}")]);
    let finished = finish(shell, TIMEOUT)?;
    finished.expect_stdout("sched")?.expect_stderr("status 0")?;
    if finished.stdout.lines().count() == LINES { Ok(()) } else { Err(finished.to_string().into()) }
}

fn closed_pipe_with_command(bench: &Bench) -> Result<(), Failed> {
    let tracec =
        format!("'{}' run --tracefs '{}' -e '{SESSION}'", bench.tracec.display(), bench.tracefs.display());
    let mut shell = std::process::Command::new("sh");
    let load = "i=0; while [ $i -lt 50 ]; do i=$((i+1)); /bin/true; done";
    shell.args(["-c", &format!("({tracec} -- sh -c '{load}'; echo \"status $?\" >&2) | head -n {LINES}")]);
    finish(shell, TIMEOUT)?.expect_stdout("sched")?.expect_stderr("status 0")?;
    Ok(())
}

/// An instance of the name exists, so that the session is refused.
fn refusal_without_reader(bench: &Bench) -> Result<(), Failed> {
    let instance = bench.tracefs.join("instances/tracec-taken");
    std::fs::create_dir(&instance)?;
    let tracec = format!(
        "'{}' run --tracefs '{}' --instance tracec-taken -e '{SESSION}'",
        bench.tracec.display(),
        bench.tracefs.display()
    );
    let without_reader = format!("({tracec}; echo \"status $?\" >&2) | true");
    let results = [without_reader, format!("{tracec} >&-; echo \"status $?\" >&2")].map(|script| {
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script]);
        finish(shell, TIMEOUT)
    });
    std::fs::remove_dir(&instance)?;
    for finished in results {
        finished?.expect_stderr("status 1")?;
    }
    Ok(())
}

fn command_status(bench: &Bench) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(["-e", "sched:sched_process_exec", "--", "sh", "-c", "exit 7"]);
    finish(command, TIMEOUT)?.expect_status(7)?;
    Ok(())
}

fn no_command(bench: &Bench) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(["-e", "sched:sched_process_exec", "--", "/nowhere/at-all"]);
    finish(command, TIMEOUT)?.expect_status(1)?.expect_stderr("T0510")?;
    Ok(())
}
