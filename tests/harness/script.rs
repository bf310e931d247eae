//! Tests of the target `script` on a real kernel, in each shell of the machine and without tracec: scripts record what
//! `tracec run` records, and leave nothing however they end.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use tempfile::TempDir;

use super::bench::{Bench, Finished, TIMEOUT, finish, start};
use super::directives::load_of;
use super::witness::{Witness, noting_itself};

/// A session that records something at once.
const BUSY: &str = "buffer 256KiB per cpu; option overwrite off; trace sched:sched_switch { trigger stacktrace count 5; } \
                    trace sched:sched_process_exec if filename != \"it's\";";

/// The sessions that the target refuses on each kernel, with the code of the diagnostic.
const REFUSED: [(&str, &str); 1] = [("host_condition", "T0408")];

/// The variable for the distance in lines at which a script is killed; 1 is each line, which takes minutes.
const EVERY: &str = "TRACEC_SCRIPT_EVERY";
const FEW: usize = 16;

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in super::directives::files(bench) {
        let Some(load) = load_of(bench, &path) else { continue };
        let session = path.file_stem().unwrap_or_default().display().to_string();
        // The lost records differ from run to run.
        if session == "lost" {
            trials.push(bench.trial("script: lost counts them", move |b| lost_records(b, &path, &load)));
            continue;
        }
        let name = format!("script: {session} records what run does");
        trials.push(bench.trial(&name, move |bench| same_records(bench, &path, &load)));
    }
    for (name, signal) in
        [("INT", Signal::INT), ("TERM", Signal::TERM), ("HUP", Signal::HUP), ("QUIT", Signal::QUIT)]
    {
        trials.push(bench.trial(&format!("script: signal {name} ends it"), move |b| signalled(b, signal)));
    }
    let mut add = |name: &str, test: fn(&Bench) -> Result<(), Failed>| {
        trials.push(bench.trial(&format!("script: {name}"), test));
    };
    add("SIGKILL, then undo", killed);
    add("a refusal at each step", refused_at_each_step);
    add("killed at its lines, then undo", |bench| at_each_line(bench, "KILL"));
    add("terminated at its lines", |bench| at_each_line(bench, "TERM"));
    add("ended before it has a state file, then undo", |bench| {
        before_state_file(bench, "KILL", 137)?;
        before_state_file(bench, "TERM", 143)
    });
    add("a signal before the pid of the command is noted", before_command_is_noted);
    add("started, stopped", started);
    add("stop after", stop_after);
    add("an instance that is there is not touched", taken);
    add("an event that the kernel lacks", lacking);
    add("a state file of an earlier boot is void", earlier_boot);
    add("a damaged state file is reported", damaged_state);
    add("not root", not_root);
    add("no tracefs", no_tracefs);
    trials
}

/// A script, its directory, and the shell that runs it.
struct Script {
    _directory: TempDir,
    path: PathBuf,
    shell: &'static [&'static str],
}

/// Returns the shells of the machine.
fn shells() -> Vec<&'static [&'static str]> {
    let all: [&[&str]; 2] = [&["dash"], &["busybox", "sh"]];
    let there =
        |shell: &&&[&str]| Command::new(shell[0]).args(&shell[1..]).args(["-c", ":"]).output().is_ok();
    all.iter().filter(there).copied().collect()
}

impl Script {
    fn build(bench: &Bench, source: &[&str], shell: &'static [&'static str]) -> Result<Script, Failed> {
        let directory = tempfile::tempdir()?;
        let mut command = bench.tracec("build");
        command.args(["--target", "script", "--instance", "tracec-script", "-o"]).arg(directory.path());
        finish(command_with(command, source), TIMEOUT)?.expect_status(0)?;
        let mut entries = std::fs::read_dir(directory.path())?.filter_map(|entry| Some(entry.ok()?.path()));
        let path = entries.find(|path| path.extension().is_some_and(|ending| ending == "sh"));
        let path = path.ok_or("no script was built")?;
        Ok(Script { _directory: directory, path, shell })
    }

    fn command(&self, bench: &Bench, words: &[&str]) -> Command {
        let mut command = Command::new(self.shell[0]);
        command.args(&self.shell[1..]).arg(&self.path).arg("--tracefs").arg(&bench.tracefs).args(words);
        command
    }

    fn run(&self, bench: &Bench, words: &[&str]) -> Result<Finished, Failed> {
        finish(self.command(bench, words), TIMEOUT)
    }
}

fn command_with(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments);
    command
}

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
fn task_of(line: &str) -> Option<u32> {
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

/// Compares the records of a load's tasks. Other processes of the machine are recorded too if a session does not
/// exclude them.
fn same_records(bench: &Bench, path: &Path, load: &str) -> Result<(), Failed> {
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

/// Records more than the ring holds, while the script's output is not read until the load has ended.
fn lost_records(bench: &Bench, path: &Path, load: &str) -> Result<(), Failed> {
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

/// Runs a session with a load as its command. Returns how it ended and the records of the load's tasks.
fn recorded(
    bench: &Bench,
    load: &str,
    command: impl FnOnce(&str) -> Command,
) -> Result<(Finished, Vec<Record>), Failed> {
    let directory = tempfile::tempdir()?;
    let note = directory.path().join("pid");
    let witness = Witness::start(bench)?;
    let finished = finish(command(&noting_itself(load, &note)), TIMEOUT)?;
    // A session that is refused does not start its load.
    let tasks = match std::fs::read_to_string(&note) {
        Ok(first) => witness.descendants(first.trim().parse()?)?,
        Err(_) if !finished.status.success() => BTreeSet::new(),
        Err(error) => return Err(format!("the load did not start: {error}\n{finished}").into()),
    };
    let records = records(&finished.stdout, &tasks)?;
    Ok((finished, records))
}

fn signalled(bench: &Bench, signal: Signal) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let mut running = start(script.command(bench, &["run"]))?;
        running.until("sched_switch:", TIMEOUT)?;
        running.signal(signal)?;
        running.wait(TIMEOUT)?.expect_status(0)?.expect_stderr("ended by SIG")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

fn nothing_left(bench: &Bench, shell: &[&str]) -> Result<(), Failed> {
    if bench.has("instances/tracec-script") || Path::new("/run/tracec/tracec-script.script").exists() {
        return Err(format!("{shell:?}: something is left").into());
    }
    // Another session may have its journal there.
    if std::fs::read_dir("/run/tracec").is_ok_and(|mut entries| entries.next().is_none()) {
        return Err(format!("{shell:?}: /run/tracec is left and empty").into());
    }
    Ok(())
}

/// Inserts `line` into a script after the only line that begins with `start`.
fn insert_behind(script: &Script, start: &str, line: &str) -> Result<(), Failed> {
    let mut lines: Vec<String> = std::fs::read_to_string(&script.path)?.lines().map(str::to_owned).collect();
    let mut places = (0..lines.len()).filter(|&index| lines[index].starts_with(start));
    let (Some(place), None) = (places.next(), places.next()) else {
        return Err(format!("not one line begins with {start:?}").into());
    };
    lines.insert(place + 1, line.to_owned());
    rewrite(script, &lines)
}

/// Ends a run after the directory is created and before the state file is.
fn before_state_file(bench: &Bench, signal: &str, status: i32) -> Result<(), Failed> {
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

fn before_command_is_noted(bench: &Bench) -> Result<(), Failed> {
    // The shell reads its own process id, not that of the script.
    let signal = "    IFS=' ' read -r own _ </proc/self/stat; kill -s TERM \"$own\"";
    // After the start of the command, and before it is released.
    for start in ["    \"$@\" <&9", "    trap 'dying=1; woken=1; pass_on' TERM"] {
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

fn killed(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let mut running = start(script.command(bench, &["run"]))?;
        running.until("sched_switch:", TIMEOUT)?;
        script.run(bench, &["undo"])?.expect_status(6)?.expect_stderr("is run by process")?;
        running.signal(Signal::KILL)?;
        running.wait(TIMEOUT)?;
        if !bench.has("instances/tracec-script") {
            return Err("SIGKILL left no instance: the test proves nothing".into());
        }
        script.run(bench, &["run"])?.expect_status(6)?.expect_stderr("undo undoes it")?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("undone")?;
        script.run(bench, &["undo"])?.expect_status(0)?.expect_stderr("nothing to undo")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// Replaces the lines of the script.
fn rewrite(script: &Script, lines: &[String]) -> Result<(), Failed> {
    Ok(std::fs::write(&script.path, lines.join("\n") + "\n")?)
}

fn refused_at_each_step(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let good: Vec<String> = std::fs::read_to_string(&script.path)?.lines().map(str::to_owned).collect();
        let first = good.iter().position(|line| line == "steps() {").ok_or("no steps")? + 1;
        let end = first + good[first..].iter().position(|line| line == "}").ok_or("no end")?;
        for place in first..=end {
            let mut lines = good.clone();
            lines.insert(place, "    write 'bad.trc:1:2' 'options/test_nop_refuse' '1'".to_owned());
            rewrite(&script, &lines)?;
            let said = script.run(bench, &["run", "--", "true"])?;
            said.expect_status(1)?.expect_stderr("bad.trc:1:2")?.expect_stderr("Invalid argument")?;
            nothing_left(bench, shell)?;
        }
    }
    Ok(())
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
                "case $HIT in {number}) HIT=none; kill -s \"$HITS\" $$ ;; '') echo {number} >>\"$REACHED\" ;; esac"
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

fn at_each_line(bench: &Bench, signal: &str) -> Result<(), Failed> {
    let every: usize = std::env::var(EVERY).ok().and_then(|every| every.parse().ok()).unwrap_or(FEW);
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let whole = std::fs::read_to_string(&script.path)?;
        let reached = script.path.with_extension("reached");
        rewrite(&script, &with_hooks(&whole))?;
        let run = |hit: &str, words: &[&str]| {
            let mut command = script.command(bench, words);
            command.env("HIT", hit).env("HITS", signal).env("REACHED", &reached);
            finish(command, TIMEOUT)
        };
        run("", &["run", "--", "true"])?.expect_status(0)?;
        let numbers = std::fs::read_to_string(&reached)?;
        let mut numbers: Vec<usize> = numbers.lines().filter_map(|line| line.parse().ok()).collect();
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() < 100 {
            return Err(format!("only {} lines were reached", numbers.len()).into());
        }
        for number in numbers.iter().step_by(every) {
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

fn started(bench: &Bench) -> Result<(), Failed> {
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

fn stop_after(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let session = "stop after 300ms; trace sched:sched_switch if prev_prio < 0;";
        let script = Script::build(bench, &["-e", session], shell)?;
        script.run(bench, &[])?.expect_status(0)?.expect_stderr("0 records, 0 lost, ended after 0.3 s")?;
        script.run(bench, &["--for", "1"])?.expect_status(0)?.expect_stderr("ended after 1 s")?;
        script.run(bench, &["--for", "1x"])?.expect_status(2)?;
    }
    Ok(())
}

fn taken(bench: &Bench) -> Result<(), Failed> {
    let foreign = bench.tracefs.join("instances/tracec-script");
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        std::fs::create_dir(&foreign)?;
        let said = script.run(bench, &["run", "--", "true"]);
        let undone = script.run(bench, &["undo"]);
        let there = foreign.exists();
        std::fs::remove_dir(&foreign)?;
        said?.expect_status(6)?;
        undone?.expect_status(0)?.expect_stderr("nothing to undo")?;
        if !there {
            return Err("the instance of another was removed".into());
        }
    }
    Ok(())
}

fn lacking(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let text =
            std::fs::read_to_string(&script.path)?.replace("sched_process_exec/", "sched_process_gone/");
        std::fs::write(&script.path, text)?;
        let said = script.run(bench, &["run", "--", "true"])?;
        said.expect_status(1)?.expect_stderr("this kernel has no events/sched/sched_process_gone/enable")?;
        said.expect_stderr("-e:1:")?.expect_stderr("nothing was changed")?;
    }
    Ok(())
}

fn earlier_boot(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let state = Path::new("/run/tracec/tracec-script.script");
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

/// A state file that does not describe the instance: nothing is called undone, and the file stays for a person to read.
fn damaged_state(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        script.run(bench, &["start"])?.expect_status(0)?;
        let state = Path::new("/run/tracec/tracec-script.script");
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

/// Returns the text of a state file with another value for a key.
fn with_value(text: &str, key: &str, value: &str) -> String {
    let prefix = format!("{key}=");
    let line = |line: &str| {
        if line.starts_with(&prefix) { format!("{prefix}{value}\n") } else { format!("{line}\n") }
    };
    text.lines().map(line).collect()
}

fn not_root(bench: &Bench) -> Result<(), Failed> {
    use std::os::unix::process::CommandExt;
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let text = std::fs::read(&script.path)?;
        let open = std::env::temp_dir().join("tracec-script-not-root.sh");
        std::fs::write(&open, text)?;
        let mut command = Command::new(shell[0]);
        command
            .args(&shell[1..])
            .arg(&open)
            .args(["run", "--", "true"])
            .uid(65534)
            .gid(65534)
            .current_dir("/");
        let said = finish(command, TIMEOUT);
        std::fs::remove_file(&open)?;
        said?.expect_status(4)?.expect_stderr("run this as root")?;
    }
    Ok(())
}

fn no_tracefs(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let mut command = Command::new("unshare");
        let unmount = "for i in 1 2 3 4; do awk '$3==\"tracefs\"||$3==\"debugfs\"{print $2}' /proc/self/mounts | \
                       while read d; do umount -l \"$d\"; done; done; exec \"$@\"";
        command
            .args(["-m", "sh", "-c", unmount, "sh"])
            .args(shell)
            .arg(&script.path)
            .args(["run", "--", "true"]);
        finish(command, TIMEOUT)?.expect_status(3)?.expect_stderr("mount -t tracefs")?;
    }
    Ok(())
}
