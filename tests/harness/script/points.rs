//! Scripts that are ended at points of their text.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use libtest_mimic::Failed;
use rustix::process::Signal;

use super::{BUSY, QUIET, Script, nothing_left, shells};
use crate::harness::bench::{Bench, Finished, TIMEOUT, finish, start};
use crate::harness::points::Points;

/// Sends the script the signal. A process of the script that sends SIGKILL goes on when the script is gone from
/// `/proc`.
const END_SCRIPT: &str =
    "kill -s \"$HITS\" $$; until [ \"$HITS\" != KILL ] || ! [ -e \"/proc/$$\" ]; do :; done";

/// Runs a command below a shell, which reaps it when it ends, and does not wait for what it leaves.
fn reaped(command: &Command) -> Result<Finished, Failed> {
    let said = tempfile::NamedTempFile::new()?;
    let mut parent = Command::new("sh");
    parent.args(["-c", "\"$@\" >\"$0\" 2>&1; status=$?; cat \"$0\" >&2; exit \"$status\""]).arg(said.path());
    parent.arg(command.get_program()).args(command.get_args());
    parent.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    finish(parent, TIMEOUT)
}

/// Inserts a command before each line of a script that begins a command. The command ends the shell if `HIT` is its
/// number, and prints its number if `HIT` is empty.
fn with_hooks(script: &str) -> Vec<String> {
    let (mut lines, mut before, mut in_text) = (Vec::new(), String::new(), false);
    for (number, line) in script.lines().enumerate() {
        let word = line.trim();
        in_text &= word != "END";
        let begins = line.starts_with("    ")
            && !in_text
            && !["\\", "&&", "||", "|", "in", ";;"].iter().any(|end| before.ends_with(end))
            && !["fi", "done", "else", "elif", "esac", "}", ")", ";;", "#", "-"]
                .iter()
                .any(|w| word.starts_with(w));
        if begins {
            lines.push(format!(
                "case $HIT in {number}) HIT=none; {END_SCRIPT} ;; '') echo {number} >>\"$REACHED\" ;; esac"
            ));
        }
        lines.push(line.to_owned());
        in_text |= word.ends_with("<<END");
        if !word.is_empty() && !word.starts_with('#') {
            before = word.to_owned();
        }
    }
    lines
}

/// Ends a script before lines that a run reaches. After SIGKILL, `undo` has to remove what is left.
pub(super) fn at_lines(bench: &Bench, signal: &str) -> Result<(), Failed> {
    let points = Points::chosen()?;
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let reached = script.path.with_extension("reached");
        script.rewrite(&with_hooks(&script.text()?))?;
        let run = |hit: &str, words: &[&str]| {
            let mut command = script.command(bench, words);
            command.env("HIT", hit).env("HITS", signal).env("REACHED", &reached);
            reaped(&command)
        };
        run("", &["run", "--", "true"])?.expect_status(0)?;
        let numbers = std::fs::read_to_string(&reached)?;
        let mut numbers: Vec<usize> = numbers.lines().filter_map(|line| line.parse().ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 100 {
            return Err(format!("only {} lines were reached", numbers.len()).into());
        }
        for number in points.of(&numbers, &format!("scripts ended by {signal} in {}", shell[0])) {
            let said = run(&number.to_string(), &["run", "--", "true"])?;
            let left = || format!("{shell:?}, line {}: {said}", number + 1);
            if signal == "KILL" {
                let undone = run("none", &["undo"])?;
                undone.expect_status(0).map_err(|failed| format!("{failed:?}\n{}", left()))?;
            }
            nothing_left(bench, shell).map_err(|_| left())?;
        }
    }
    Ok(())
}

/// Kills a run some time after its start. What it is doing at that time in another process goes on, and `undo` has to
/// remove that too.
pub(super) fn at_any_time(bench: &Bench) -> Result<(), Failed> {
    let points = Points::chosen()?;
    let times: Vec<Duration> = (0..640).map(|number| Duration::from_micros(250 * number)).collect();
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        for time in points.of(&times, &format!("scripts killed after a time in {}", shell[0])) {
            let running = start(script.command(bench, &["run", "--for", "20"]))?;
            std::thread::sleep(*time);
            running.signal(Signal::KILL)?;
            let said = running.wait(TIMEOUT)?;
            let left = |failed: Failed| format!("{shell:?}, after {time:?}: {failed:?}\n{said}");
            let undone = script.run(bench, &["undo"])?;
            undone.expect_status(0).map(drop).and_then(|()| nothing_left(bench, shell)).map_err(left)?;
        }
    }
    Ok(())
}

/// Inserts a write that the kernel refuses before steps of a session, and after the last.
pub(super) fn refused_at_steps(bench: &Bench) -> Result<(), Failed> {
    let points = Points::chosen()?;
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let good: Vec<String> = script.text()?.lines().map(str::to_owned).collect();
        let first = good.iter().position(|line| line == "steps() {").ok_or("no steps")? + 1;
        let end = first + good[first..].iter().position(|line| line == "}").ok_or("no end")?;
        let places: Vec<usize> = (first..=end).collect();
        for place in points.of(&places, &format!("scripts refused in {}", shell[0])) {
            let mut lines = good.clone();
            lines.insert(*place, "    write 'bad.trc:1:2' 'options/test_nop_refuse' '1'".to_owned());
            script.rewrite(&lines)?;
            let said = script.run(bench, &["run", "--", "true"])?;
            said.expect_status(1)?.expect_stderr("bad.trc:1:2")?.expect_stderr("Invalid argument")?;
            nothing_left(bench, shell)?;
        }
    }
    Ok(())
}

/// Inserts `line` into a script after the only line that begins with `start`.
pub(super) fn insert_behind(script: &Script, start: &str, line: &str) -> Result<(), Failed> {
    let mut lines: Vec<String> = script.text()?.lines().map(str::to_owned).collect();
    let mut places = (0..lines.len()).filter(|&index| lines[index].starts_with(start));
    let (Some(place), None) = (places.next(), places.next()) else {
        return Err(format!("not one line begins with {start:?}").into());
    };
    lines.insert(place + 1, line.to_owned());
    script.rewrite(&lines)
}

/// Kills a run while its reader starts the copy of `trace_pipe`, and with its reader while the copy waits for records.
/// The copy ignores the signals of a user, and the instance cannot be removed while it runs.
pub(super) fn with_copy(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        for (start, line) in
            [("settle() {", END_SCRIPT), ("    lasts=1", "    kill -s KILL \"$reader\"; kill -s KILL $$")]
        {
            let script = Script::build(bench, &["-e", QUIET], shell)?;
            let killed = Script::build(bench, &["-e", QUIET], shell)?;
            insert_behind(&killed, start, line)?;
            let mut command = killed.command(bench, &["run", "--for", "20"]);
            command.env("HITS", "KILL");
            let said = reaped(&command)?;
            said.expect_status(137)?;
            if !bench.has("instances/tracec-script") {
                return Err(format!("{shell:?}: no instance is left: the test proves nothing\n{said}").into());
            }
            script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("undone")?;
            nothing_left(bench, shell)?;
        }
    }
    Ok(())
}

/// Ends a run after the directory is created and before the state file is.
pub(super) fn before_state_file(bench: &Bench, signal: &str, status: i32) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        insert_behind(&script, "    mkdir -m 0700 \"$run\"", &format!("    kill -s {signal} $$"))?;
        let said = script.run(bench, &["run", "--", "true"])?;
        let ended = said.status.code().or(said.status.signal().map(|signal| 128 + signal));
        if ended != Some(status) {
            return Err(format!("{shell:?}: not ended by {signal}\n{said}").into());
        }
        if signal == "KILL" {
            if !Path::new("/run/tracec").exists() {
                return Err("SIGKILL left no directory: the test proves nothing".into());
            }
            script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("nothing to undo")?;
        }
        nothing_left(bench, shell)?;
    }
    Ok(())
}

pub(super) fn before_command_is_noted(bench: &Bench) -> Result<(), Failed> {
    // The shell reads its own process id, not that of the script.
    let signal = "    IFS=' ' read -r own _ </proc/self/stat; kill -s TERM \"$own\"";
    // Before the command is released, and after.
    for start in ["    exec 3<&- 6<&- 7<&- </dev/null", "    read -r word <&4 || exit 0"] {
        for shell in shells() {
            let script = Script::build(bench, &["-e", BUSY], shell)?;
            insert_behind(&script, start, signal)?;
            let said = script.run(bench, &["run", "--", "sleep", "20"])?;
            said.expect_status(143)?.expect_stderr("ended with its command (exit status 143)")?;
            nothing_left(bench, shell)?;
        }
    }
    Ok(())
}
