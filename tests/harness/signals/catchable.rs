//! Every signal that a program can catch: it ends a session, pauses it, or has no effect, as the table says.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use tracec_kernel::tables::signals::{Effect, with_effect};

use super::SESSION;
use crate::harness::bench::{Bench, Running, TIMEOUT, finish, start};
use crate::harness::points::Points;

/// The number of moments of a session at which each signal is sent.
const MOMENTS: u32 = 20;

/// The instance of these tests.
const INSTANCE: &str = "tracec-signals";

pub(super) fn trials(bench: &Bench) -> Vec<Trial> {
    let points = Points::chosen().unwrap_or_else(|failed| panic!("{failed:?}"));
    let all: Vec<i32> = with_effect(Effect::Ends).collect();
    let chosen: Vec<i32> =
        all.iter().enumerate().filter(|(number, _)| points.takes_one(*number)).map(|(_, all)| *all).collect();
    println!("NOTE: signals that end a session: {} of {}", chosen.len(), all.len());
    let mut trials: Vec<Trial> = chosen
        .into_iter()
        .map(|signal| bench.trial(&format!("signals: {signal} ends a session"), move |b| ends(b, signal)))
        .collect();
    for signal in with_effect(Effect::Pauses) {
        let name = format!("signals: {signal} pauses a session");
        trials.push(bench.trial(&name, move |bench| pauses(bench, signal)));
    }
    for signal in with_effect(Effect::Nothing) {
        let name = format!("signals: {signal} has no effect");
        trials.push(bench.trial(&name, move |bench| no_effect(bench, signal)));
    }
    trials.push(bench.trial("signals: all of them at moments of a session", at_moments));
    trials.push(bench.trial("signals: the command has those of its caller", mask_of_command));
    trials.push(bench.trial("signals: a limit of the size of files", file_size_limit));
    trials
}

/// Returns a command that runs a session in a process group of its own, since the kernel does not stop a group that has
/// no shell to continue it. A signal may kill it by its default action before the session begins: no core is dumped.
fn session(bench: &Bench, text: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -c 0; exec \"$0\" run --tracefs \"$1\" --instance \"$2\" -e \"$3\""]);
    command.arg(&bench.tracec).arg(&bench.tracefs).args([INSTANCE, text]);
    command.process_group(0);
    command
}

/// Starts a session and waits for its first records.
fn streaming(bench: &Bench) -> Result<Running, Failed> {
    let mut running = start(session(bench, SESSION))?;
    running.until("sched_switch:", TIMEOUT)?;
    Ok(running)
}

/// Checks that the session ends itself, with status 0, its records written, and nothing left.
fn ends(bench: &Bench, signal: i32) -> Result<(), Failed> {
    let running = streaming(bench)?;
    running.signal_number(signal)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr(&format!("ended by signal {signal} "))?;
    Ok(())
}

/// Checks that recording is off while the process is stopped, and on again afterwards.
fn pauses(bench: &Bench, signal: i32) -> Result<(), Failed> {
    let mut running = streaming(bench)?;
    for round in 0..2 {
        running.signal_number(signal)?;
        if !running.is_stopped()? {
            return Err(format!("it ended: {}", running.wait(TIMEOUT)?).into());
        }
        is_recording(bench, false)?;
        running.signal(Signal::CONT)?;
        let deadline = Instant::now() + TIMEOUT;
        while let Err(failed) = is_recording(bench, true) {
            if Instant::now() > deadline {
                return Err(failed);
            }
            std::thread::yield_now();
        }
        still_records(&mut running, &format!("pause-{round}"))?;
    }
    running.signal(Signal::TERM)?;
    running.wait(TIMEOUT)?.expect_status(0)?.expect_stderr("ended by signal 15 ")?;
    Ok(())
}

fn is_recording(bench: &Bench, expected: bool) -> Result<(), Failed> {
    let path = bench.tracefs.join("instances").join(INSTANCE).join("tracing_on");
    match (std::fs::read_to_string(&path)?.trim(), expected) {
        ("0", false) | ("1", true) => Ok(()),
        (holds, _) => Err(format!("tracing_on is {holds}").into()),
    }
}

/// Executes a program under a name of its own, and waits for the record of that.
fn still_records(running: &mut Running, name: &str) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let program = dir.path().join(name);
    std::os::unix::fs::symlink("/bin/true", &program)?;
    Command::new(&program).arg0("true").status()?;
    running.until(&format!("{name} "), TIMEOUT)
}

fn no_effect(bench: &Bench, signal: i32) -> Result<(), Failed> {
    let mut running = streaming(bench)?;
    running.signal_number(signal)?;
    still_records(&mut running, "no-effect")?;
    running.signal(Signal::TERM)?;
    running.wait(TIMEOUT)?.expect_status(0)?.expect_stderr("ended by signal 15 ")?;
    Ok(())
}

/// Sends signals at moments of a whole run of tracec, from its start on. Before the session begins and after its end a
/// signal has its default action, which may kill the process.
fn at_moments(bench: &Bench) -> Result<(), Failed> {
    let text = "trace sched:sched_process_exec; \
                trace sched:sched_switch if prev_prio < 200 { trigger stacktrace; } stop after 400ms;";
    let begin = Instant::now();
    finish(session(bench, text), TIMEOUT)?.expect_status(0)?.expect_stderr("ended after 400 ms")?;
    let moment = begin.elapsed() / MOMENTS;
    let effects = [Effect::Ends, Effect::Pauses, Effect::Nothing];
    let signals = effects.into_iter().flat_map(with_effect);
    let all: Vec<(i32, u32)> =
        signals.flat_map(|signal| (0..MOMENTS).map(move |number| (signal, number))).collect();
    let mut ended = 0;
    for &&(signal, number) in &Points::chosen()?.of(&all, "signals at moments of a session") {
        let failed = |what: &str| format!("signal {signal} at moment {number}: {what}");
        let running = start(session(bench, text))?;
        // The moment is what is tested.
        std::thread::sleep(moment * number);
        running.signal_number(signal)?;
        if with_effect(Effect::Pauses).any(|pausing| pausing == signal) && running.is_stopped()? {
            running.signal(Signal::CONT)?;
        }
        let finished = running.wait(TIMEOUT)?;
        let expected = finished.status.code() == Some(0) || finished.status.signal() == Some(signal);
        if !expected || bench.has(&format!("instances/{INSTANCE}")) {
            return Err(failed(&format!("{}\n{finished}", finished.status)).into());
        }
        ended += usize::from(finished.stderr.contains("ended by signal"));
    }
    println!("NOTE: signals that ended a session at such a moment: {ended}");
    if ended == 0 { Err("none came while the session ran".into()) } else { Ok(()) }
}

/// A command gets the mask and the dispositions with which tracec was started.
fn mask_of_command(bench: &Bench) -> Result<(), Failed> {
    let status = "sed -n '/^Sig[BI]/p' /proc/self/status";
    for before in [":", "trap '' PIPE", "trap '' HUP USR1 TSTP", "trap '' CHLD", "trap '' PIPE INT"] {
        let run = format!(
            "{before}; {status}; exec '{}' run -q --tracefs '{}' -e 'trace sched:sched_process_exec if pid < 0;' -- {status}",
            bench.tracec.display(),
            bench.tracefs.display()
        );
        let mut command = Command::new("sh");
        command.args(["-c", &run]);
        let finished = finish(command, TIMEOUT)?;
        let lines: Vec<&str> = finished.expect_status(0)?.stdout.lines().collect();
        match lines.as_slice() {
            [blocked, ignored, its_blocked, its_ignored]
                if (blocked, ignored) == (its_blocked, its_ignored) => {}
            _ => return Err(format!("{before}: {finished}").into()),
        }
    }
    Ok(())
}

/// The write that exceeds the limit raises SIGXFSZ. A session that records itself writes enough on an idle machine.
fn file_size_limit(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let mut command = Command::new("sh");
    let limited = "cd \"$2\" && ulimit -f 8 && exec \"$0\" run --tracefs \"$1\" -e \
                   'trace raw_syscalls:sys_enter; scope including tracec; output \"out.txt\"; stop after 60s;'";
    command.args(["-c", limited]).arg(&bench.tracec).arg(&bench.tracefs).arg(dir.path());
    finish(command, Duration::from_secs(50))?.expect_status(1)?.expect_stderr("T0509")?;
    Ok(())
}
