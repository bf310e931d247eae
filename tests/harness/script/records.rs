//! The records of scripts, compared with those of `tracec run`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use libtest_mimic::Failed;

use super::{Script, nothing_left, shells};
use crate::harness::bench::{Bench, Finished, TIMEOUT, finish, start};
use crate::harness::witness::{Witness, noting_itself};

/// The sessions that the target refuses on each kernel, with the code of the diagnostic.
const REFUSED: [(&str, &str); 3] = [("host_condition", "T0408"), ("queue", "T0408"), ("shown", "T0408")];

/// A record: the event, and its fields by name. Values that differ from run to run are removed.
type Record = (String, BTreeMap<String, String>);

/// Reads the records of tasks from the output of `tracec run`, which names `SYSTEM:EVENT`, or of `trace_pipe`, which
/// names `EVENT`, and a system call as `sys_NAME(ARGUMENTS)` or `sys_NAME -> RESULT`.
fn records(text: &str, tasks: &BTreeSet<u32>) -> Result<Vec<Record>, Failed> {
    let mut records = Vec::new();
    for line in text.lines() {
        // The words before the time are the task and the CPU.
        let mut words = line.split_whitespace().skip_while(|word| !is_time(word)).skip(1);
        let Some(word) = words.next() else { continue };
        if !tasks.contains(&task_of(line).ok_or_else(|| format!("no task in {line:?}"))?) {
            continue;
        }
        let name =
            word.split('(').next().unwrap_or(word).trim_end_matches(':').rsplit(':').next().unwrap_or(word);
        let name = match name.strip_prefix("sys_enter_").or_else(|| name.strip_prefix("sys_exit_")) {
            Some(call) => format!("sys_{call}"),
            None if name == "<stack" => "kernel_stack".to_owned(),
            None => name.to_owned(),
        };
        let varies = |key: &str| key.ends_with("pid") || key.starts_with("__");
        let words: Vec<&str> = words.collect();
        let pairs = words.iter().filter_map(|word| word.split_once('=')).filter(|(key, _)| !varies(key));
        let mut fields: BTreeMap<String, String> =
            pairs.map(|(key, value)| (key.to_owned(), plain(value))).collect();
        if let ["->", result] = words.as_slice() {
            let number = u64::from_str_radix(result.trim_start_matches("0x"), 16).map(u64::cast_signed);
            fields.insert("ret".to_owned(), number.map_or((*result).to_owned(), |number| number.to_string()));
        }
        records.push((name, fields));
    }
    Ok(records)
}

/// Returns the process id in `NAME-PID  [CPU] ..`.
pub(super) fn task_of(line: &str) -> Option<u32> {
    let is_cpu = |rest: &str| {
        rest.split_once(']')
            .is_some_and(|(cpu, _)| !cpu.is_empty() && cpu.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let (end, _) = line.match_indices(" [").find(|(at, found)| is_cpu(&line[at + found.len()..]))?;
    line[..end].trim_end().rsplit('-').next()?.parse().ok()
}

/// Returns whether a word is a time: seconds, a dot, six digits or more, and a colon.
fn is_time(word: &str) -> bool {
    let parts = word.strip_suffix(':').and_then(|time| time.split_once('.'));
    parts.is_some_and(|(s, rest)| [s, rest].iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit())))
}

/// Returns the number for a bool that a print format writes as a word.
fn plain(value: &str) -> String {
    match value {
        "true" => "1".to_owned(),
        "false" => "0".to_owned(),
        other => other.to_owned(),
    }
}

/// Returns both lists with only the fields that both have for an event: a print format does not print each field.
fn with_common_fields(a: Vec<Record>, b: Vec<Record>) -> (Vec<Record>, Vec<Record>) {
    let keys = |records: &[Record]| {
        let mut keys: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (event, fields) in records {
            keys.entry(event.clone()).or_insert_with(|| fields.keys().cloned().collect());
        }
        keys
    };
    let (of_a, of_b) = (keys(&a), keys(&b));
    let cut = |mut records: Vec<Record>| {
        for (event, fields) in &mut records {
            let named = |keys: &BTreeMap<String, Vec<String>>, key: &String| {
                keys.get(event).is_some_and(|keys| keys.contains(key))
            };
            fields.retain(|key, _| named(&of_a, key) && named(&of_b, key));
        }
        records.sort();
        records
    };
    (cut(a), cut(b))
}

/// Returns a command that runs a program in a mount namespace in which tracec cannot be started.
fn without_tracec(bench: &Bench, command: &Command) -> Command {
    let mut hidden = Command::new("unshare");
    hidden.args(["-m", "sh", "-c", "mount --bind /dev/null \"$0\" && exec \"$@\""]).arg(&bench.tracec);
    hidden.arg(command.get_program()).args(command.get_args());
    hidden
}

/// Compares the records of a load's tasks and of those of the run, which leaves its own out. Other processes of the
/// machine are recorded too if a session does not exclude them.
pub(super) fn same_records(bench: &Bench, path: &Path, load: &str) -> Result<(), Failed> {
    let source = path.display().to_string();
    let refusal = REFUSED.iter().find(|(name, _)| path.file_stem().is_some_and(|stem| stem == *name));
    for shell in shells() {
        if let Some((_, code)) = refusal {
            let directory = tempfile::tempdir()?;
            let mut command = bench.tracec("build");
            command.args(["--target", "script", "-o"]).arg(directory.path()).arg(path);
            let said = finish(command, TIMEOUT)?;
            said.expect_status(1)?.expect_stderr(&format!("error[{code}]"))?;
            continue;
        }
        let script = Script::build(bench, &[&source], shell)?;
        let (by_script, found) = recorded(bench, load, |load| {
            without_tracec(bench, &script.command(bench, &["run", "--", "/bin/sh", "-c", load]))
        })?;
        let (by_run, expected) = recorded(bench, load, |load| {
            let mut run = bench.tracec("run");
            run.arg(path).args(["--", "/bin/sh", "-c", load]);
            run
        })?;
        let differs = || Failed::from(format!("{shell:?}: run\n{by_run}\nscript\n{by_script}"));
        if by_run.status.code() != by_script.status.code() {
            return Err(differs());
        }
        let (expected, found) = with_common_fields(expected, found);
        if expected != found || (expected.is_empty() && by_run.status.success()) {
            return Err(differs());
        }
    }
    Ok(())
}

/// A script starts the same processes for a command as a run does.
pub(super) fn same_processes(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("processes.trc");
    let events = ["fork", "exec", "exit", "wait"].map(|event| format!("trace sched:sched_process_{event};"));
    std::fs::write(&path, format!("session processes {{ {} }}\n", events.concat()))?;
    same_records(bench, &path, "/bin/true; :")
}

/// Records more than the ring holds, while the script's output is not read until the load has ended.
pub(super) fn lost_records(bench: &Bench, path: &Path, load: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let ended = directory.path().join("ended");
    for shell in shells() {
        let script = Script::build(bench, &[&path.display().to_string()], shell)?;
        let load = format!("{load}; : >'{}'", ended.display());
        let recording = script.command(bench, &["run", "--", "/bin/sh", "-c", &load]);
        let mut command = Command::new("sh");
        let late = "late=$1; shift; \"$@\" | { until [ -e \"$late\" ]; do sleep 0.1; done; cat; }";
        command.args(["-c", late, "sh"]).arg(&ended).arg(recording.get_program()).args(recording.get_args());
        let said = finish(command, TIMEOUT)?;
        std::fs::remove_file(&ended)?;
        said.expect_stderr(" lost, ended with its command (exit status 0)")?;
        if said.stderr.contains(" 0 lost") {
            return Err(format!("{shell:?}: nothing was lost\n{said}").into());
        }
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// Runs a session with a load as its command. Returns how it ended, and the records of the load's tasks and of all
/// others that the run has started.
fn recorded(
    bench: &Bench,
    load: &str,
    command: impl FnOnce(&str) -> Command,
) -> Result<(Finished, Vec<Record>), Failed> {
    let directory = tempfile::tempdir()?;
    let note = directory.path().join("pid");
    let witness = Witness::start(bench)?;
    let running = start(command(&noting_itself(load, &note)))?;
    let run = running.id();
    let finished = running.wait(TIMEOUT)?;
    // A session that is refused does not start its load.
    let tasks = match std::fs::read_to_string(&note) {
        Ok(first) => {
            let tasks = witness.descendants(run)?;
            if !tasks.contains(&first.trim().parse()?) {
                return Err(format!("the load is not a descendant of the run\n{finished}").into());
            }
            tasks
        }
        Err(_) if !finished.status.success() => BTreeSet::new(),
        Err(error) => return Err(format!("the load did not start: {error}\n{finished}").into()),
    };
    let records = records(&finished.stdout, &tasks)?;
    Ok((finished, records))
}
