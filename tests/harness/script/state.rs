//! Sessions that are started and stopped, and the state file between.

use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use libtest_mimic::Failed;
use rustix::process::Signal;

use super::points::insert_behind;
use super::records::task_of;
use super::{BUSY, QUIET, STATE, Script, nothing_left, run_not_root, shells};
use crate::harness::bench::{Bench, Running, TIMEOUT, finish, start};
use crate::harness::witness::Witness;

pub(super) fn started(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        script.run(bench, &["status"])?.expect_stdout("is not applied")?;
        script.run(bench, &["start"])?.expect_status(0)?;
        script.run(bench, &["start"])?.expect_status(6)?;
        script.run(bench, &["status"])?.expect_stdout("by ")?;
        let mut stream = start(script.command(bench, &["stream"]))?;
        stream.until("sched_switch:", TIMEOUT)?;
        stream.signal(Signal::TERM)?;
        stream.wait(TIMEOUT)?;
        script.run(bench, &["stop"])?.expect_status(0)?.expect_stderr("undone")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A session that is started does not record what `start`, `stream` and `stop` do, as far as they can avoid it: the
/// start of `stream` and `stop` is recorded, but no process that `stop` starts.
pub(super) fn commands_leave_themselves_out(bench: &Bench) -> Result<(), Failed> {
    let processes =
        "trace sched:sched_process_fork; trace sched:sched_process_exec; trace sched:sched_process_exit;";
    let directory = tempfile::tempdir()?;
    let trace = directory.path().join("trace");
    for shell in shells() {
        let script = Script::build(bench, &["-e", processes], shell)?;
        let read = format!("    cat \"$dir/trace\" >'{}'", trace.display());
        insert_behind(&script, "remove_instance() {", &read)?;
        // Returns the records of the tasks that descend from a command.
        let of = |text: &str, tasks: &BTreeSet<u32>| {
            let is_of = |line: &&str| task_of(line).is_some_and(|task| tasks.contains(&task));
            text.lines().filter(is_of).map(|line| format!("{line}\n")).collect::<String>()
        };
        let witness = Witness::start(bench)?;
        let starting = start(script.command(bench, &["start"]))?;
        let first = starting.id();
        starting.wait(TIMEOUT)?.expect_status(0)?;
        let stopping = start(script.command(bench, &["stop"]))?;
        let last = stopping.id();
        stopping.wait(TIMEOUT)?.expect_status(0)?.expect_stderr("undone")?;
        let text = std::fs::read_to_string(&trace)?;
        let (of_start, of_stop) =
            (of(&text, &witness.descendants(first)?), of(&text, &witness.descendants(last)?));
        drop(witness);
        let is_start_of_stop = of_stop.lines().count() == 1 && of_stop.contains("sched_process_exec:");
        if !of_start.is_empty() || !is_start_of_stop {
            return Err(format!("{shell:?}: start\n{of_start}stop\n{of_stop}").into());
        }

        script.run(bench, &["start"])?.expect_status(0)?;
        let mut stream = start(script.command(bench, &["stream"]))?;
        let reader = stream.id();
        until(|| Ok(std::fs::read_to_string(STATE)?.contains("stream=")))?;
        finish(Command::new("true"), TIMEOUT)?;
        stream.until("/true ", TIMEOUT)?;
        script.run(bench, &["stop"])?.expect_status(0)?;
        let of_stream = of(&stream.wait(TIMEOUT)?.stdout, &BTreeSet::from([reader]));
        if of_stream.lines().count() != 1 || !of_stream.contains("sched_process_exec:") {
            return Err(format!("{shell:?}: stream\n{of_stream}").into());
        }
        nothing_left(bench, shell)?;
    }
    Ok(())
}

pub(super) fn earlier_boot(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let state = Path::new(STATE);
        let text = std::fs::read_to_string(state)?;
        std::fs::write(state, with_value(&with_value(&text, "boot", "another"), "inode", "1"))?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("earlier boot")?;
        // The state file no longer names the instance, so the instance is not removed.
        let there = bench.has("instances/tracec-script");
        std::fs::remove_dir(bench.tracefs.join("instances/tracec-script"))?;
        if !there || state.exists() {
            return Err("a state file of an earlier boot was used".into());
        }
    }
    Ok(())
}

/// The kernel does not end a reader that waits for records, and an instance with a reader cannot be removed.
pub(super) fn stop_ends_stream(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let stream = start(script.command(bench, &["stream"]))?;
        until(|| Ok(std::fs::read_to_string(STATE)?.contains("stream=")))?;
        script.run(bench, &["stream"])?.expect_status(6)?.expect_stderr("another process reads it")?;
        script.run(bench, &["stop"])?.expect_status(0)?.expect_stderr("undone")?;
        stream.wait(TIMEOUT)?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A stream that begins while `stop` has read the state file is ended too.
pub(super) fn stop_ends_late_stream(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let late = Script::build(bench, &["-e", QUIET], shell)?;
        let wait = "    echo waits; until grep -q stream= \"$state\"; do sleep 0.1; done";
        insert_behind(&late, "    printf 0 2>/dev/null >\"$dir/tracing_on\" || :", wait)?;
        let mut stop = start(late.command(bench, &["stop"]))?;
        stop.until("waits", TIMEOUT)?;
        let stream = start(script.command(bench, &["stream"]))?;
        stop.wait(TIMEOUT)?.expect_status(0)?.expect_stderr("undone")?;
        stream.wait(TIMEOUT)?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// `stream` of a session whose instance another program has removed says so.
pub(super) fn stream_without_instance(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        std::fs::remove_dir(bench.tracefs.join("instances/tracec-script"))?;
        script.run(bench, &["stream"])?.expect_status(1)?.expect_stderr("is gone")?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("undone")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

pub(super) fn closed_input(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        let closed = |words: &[&str]| {
            let mut command = Command::new("sh");
            let run = script.command(bench, words);
            command.args(["-c", "exec \"$@\" <&-", "sh"]).arg(run.get_program()).args(run.get_args());
            finish(command, TIMEOUT)
        };
        closed(&["start"])?.expect_status(0)?;
        closed(&["stop"])?.expect_status(0)?.expect_stderr("undone")?;
        closed(&["run", "--", "cat"])?.expect_status(0)?.expect_stderr("ended with its command")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A run undoes what it has made by what it remembers, and stays a run for the other commands.
pub(super) fn replaced_while_running(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let run = || {
            let mut running = start(script.command(bench, &["run"]))?;
            running.until("sched_switch:", TIMEOUT)?;
            Ok::<_, Failed>(running)
        };
        let end = |running: Running| {
            running.signal(Signal::TERM)?;
            running.wait(TIMEOUT)
        };
        let replace = |text: &str| {
            std::fs::write(format!("{STATE}.new"), text)?;
            std::fs::rename(format!("{STATE}.new"), STATE)
        };
        let running = run()?;
        replace(&std::fs::read_to_string(STATE)?)?;
        script.run(bench, &["status"])?.expect_stdout("by process")?;
        script.run(bench, &["undo"])?.expect_status(6)?.expect_stderr("is run by process")?;
        end(running)?.expect_status(0)?.expect_stderr("ended by SIGTERM")?;
        nothing_left(bench, shell)?;

        let running = run()?;
        std::fs::remove_file(STATE)?;
        end(running)?.expect_status(0)?.expect_stderr("another program has removed")?;
        nothing_left(bench, shell)?;

        for (key, value) in [("began", "1"), ("version", "none")] {
            let running = run()?;
            replace(&with_value(&std::fs::read_to_string(STATE)?, key, value))?;
            end(running)?.expect_status(5)?.expect_stderr("is not the file that this script has made")?;
            if bench.has("instances/tracec-script") {
                return Err(format!("{shell:?}: the instance is left").into());
            }
            std::fs::remove_file(STATE)?;
            match std::fs::remove_dir("/run/tracec") {
                // Another session may have its journal there.
                Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
                removed => removed?,
            }
        }
    }
    Ok(())
}

/// A program that has opened a file of the instance is not ended, but named.
pub(super) fn other_reader(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let reader = std::fs::File::open(bench.tracefs.join("instances/tracec-script/trace_pipe"))?;
        let comm = format!("/proc/{}/comm", std::process::id());
        let before = std::fs::read_to_string(&comm)?;
        std::fs::write(&comm, "red\x1b[31m")?;
        let said = script.run(bench, &["stop"]);
        std::fs::write(&comm, before.trim_end())?;
        drop(reader);
        // A control character of the name does not reach the terminal.
        let named = format!("process {} (red^[[31m)", std::process::id());
        said?.expect_status(5)?.expect_stderr(&named)?.expect_stderr("then: ")?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("undone")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// Waits until a condition holds.
fn until(holds: impl Fn() -> Result<bool, Failed>) -> Result<(), Failed> {
    let deadline = Instant::now() + TIMEOUT;
    while !holds()? {
        if Instant::now() > deadline {
            return Err("the condition does not come to hold".into());
        }
        std::thread::yield_now();
    }
    Ok(())
}

/// No line of a state file can make `stop` signal a process that is not a run of the session.
pub(super) fn other_process(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let mut victim = Command::new("sleep").arg("600").spawn()?;
        let result = stop_of_another(bench, &script, victim.id());
        victim.kill()?;
        // A signal that was sent before is the one that ended it.
        let ended = victim.wait()?.signal();
        result?;
        if ended != Some(Signal::KILL.as_raw()) {
            return Err(format!("{shell:?}: the other process was ended by signal {ended:?}").into());
        }
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// Writes another process into the state file of a killed run, then stops the session.
fn stop_of_another(bench: &Bench, script: &Script, other: u32) -> Result<(), Failed> {
    let mut running = start(script.command(bench, &["run"]))?;
    running.until("sched_switch:", TIMEOUT)?;
    running.signal(Signal::KILL)?;
    running.wait(TIMEOUT)?;
    let text = std::fs::read_to_string(STATE)?;
    let stat = std::fs::read_to_string(format!("/proc/{other}/stat"))?;
    let began =
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(19)).ok_or("no start time")?;
    let aimed = with_value(&with_value(&text, "pid", &other.to_string()), "began", began);
    let without_inode: String =
        aimed.lines().filter(|line| !line.starts_with("inode=")).map(|line| format!("{line}\n")).collect();
    std::fs::write(STATE, without_inode)?;
    script.run(bench, &["stop"])?.expect_status(6)?.expect_stderr("does not have")?;
    std::fs::write(STATE, format!("{aimed}stream={other}:{began}\n"))?;
    script.run(bench, &["stop"])?.expect_status(0)?.expect_stderr("undone")?;
    Ok(())
}

/// Commands of a user who cannot read the state file say so.
pub(super) fn of_root(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        for word in ["status", "stream", "stop", "undo"] {
            run_not_root(&script, &[word])?.expect_status(4)?.expect_stderr("run this as root")?;
        }
        script.run(bench, &["stop"])?.expect_status(0)?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A file without a version is of another program or was changed: none of its lines is used. An empty one is left by a
/// run that was killed before it wrote it.
pub(super) fn without_version(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let text = std::fs::read_to_string(STATE)?;
        // The state of version 1 has another meaning.
        std::fs::write(STATE, text.replace("version=3\n", "version=1\n"))?;
        script.run(bench, &["stop"])?.expect_status(6)?.expect_stderr("is of version 1")?;
        std::fs::write(STATE, text.replace("version=3\n", ""))?;
        for word in ["status", "stream", "stop", "undo", "start"] {
            script.run(bench, &[word])?.expect_status(6)?.expect_stderr("does not name its version")?;
        }
        if !bench.has("instances/tracec-script") {
            return Err(format!("{shell:?}: the instance was removed").into());
        }
        std::fs::write(STATE, &text)?;
        script.run(bench, &["stop"])?.expect_status(0)?.expect_stderr("undone")?;
        std::fs::create_dir_all("/run/tracec")?;
        std::fs::set_permissions("/run/tracec", std::fs::Permissions::from_mode(0o700))?;
        std::fs::write(STATE, "")?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("undone")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// The directory of the state is trusted as `tracec` trusts it: if nobody but its owner can write in it.
pub(super) fn shared_directory(bench: &Bench) -> Result<(), Failed> {
    let directory = Path::new("/run/tracec");
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        for (mode, status) in [(0o755, 0), (0o775, 4), (0o757, 4), (0o1777, 4)] {
            std::fs::create_dir_all(directory)?;
            std::fs::set_permissions(directory, std::fs::Permissions::from_mode(mode))?;
            let said = script.run(bench, &["run", "--", "true"]);
            if status != 0 {
                std::fs::remove_dir(directory)?;
            }
            let said = said?;
            said.expect_status(status).map_err(|failed| format!("{mode:o}: {failed:?}"))?;
            if status != 0 {
                said.expect_stderr("that only this user can write in")?;
            }
            nothing_left(bench, shell)?;
        }
    }
    Ok(())
}

/// A state file that does not describe the instance: nothing is called undone, and the file stays for a person to read.
pub(super) fn damaged(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let state = Path::new(STATE);
        let text = std::fs::read_to_string(state)?;
        for (key, value) in [("inode", "1"), ("boot", "another")] {
            std::fs::write(state, with_value(&text, key, value))?;
            script.run(bench, &["undo"])?.expect_status(5)?.expect_stderr("unchanged: ")?;
            if !state.exists() || !bench.has("instances/tracec-script") {
                return Err(format!("with another {key}, undo removed something").into());
            }
        }
        std::fs::write(state, &text)?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("undone")?;
    }
    Ok(())
}

/// A state file without an inode does not say who made the instance: it is left, unless the user says so.
pub(super) fn unknown_maker(bench: &Bench) -> Result<(), Failed> {
    let foreign = bench.tracefs.join("instances/tracec-script");
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        let killed = Script::build(bench, &["-e", QUIET], shell)?;
        insert_behind(&killed, "    makes=1", "    kill -s KILL $$")?;
        killed.run(bench, &["run", "--", "true"])?;
        std::fs::create_dir(&foreign)?;
        let undone = script.run(bench, &["undo"]);
        let there = foreign.exists() && Path::new(STATE).exists();
        let other = script.run(bench, &["undo", "--instance", "other"]);
        let claimed = script.run(bench, &["undo", "--instance", "tracec-script"]);
        if foreign.exists() {
            std::fs::remove_dir(&foreign)?;
        }
        undone?.expect_status(5)?.expect_stderr("does not say whether this script made the instance")?;
        other?.expect_status(2)?;
        claimed?.expect_status(0)?.expect_stderr("undone")?;
        if !there {
            return Err(format!("{shell:?}: the instance of another was removed").into());
        }
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A script does not command the session of another script with the same instance.
pub(super) fn other_script(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let first = Script::build(bench, &["-e", QUIET], shell)?;
        let second = Script::build(bench, &["-e", BUSY], shell)?;
        first.run(bench, &["start"])?.expect_status(0)?;
        for word in ["status", "stream", "stop", "undo", "start", "run"] {
            second.run(bench, &[word])?.expect_status(6)?.expect_stderr("is of another script")?;
        }
        first.run(bench, &["status"])?.expect_status(0)?.expect_stdout("is applied")?;
        second.run(bench, &["undo", "--instance", "tracec-script"])?.expect_status(0)?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// Returns the text of a state file with another value for a key.
fn with_value(text: &str, key: &str, value: &str) -> String {
    let prefix = format!("{key}=");
    let line = |line: &str| {
        if line.starts_with(&prefix) { format!("{prefix}{value}\n") } else { format!("{line}\n") }
    };
    text.lines().map(line).collect()
}
