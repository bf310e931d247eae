//! Tests of the target `script` on a real kernel, in each shell of the machine and without tracec: scripts record what
//! `tracec run` records, and leave nothing however they end.

mod points;
mod reader;
mod records;
mod state;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::process::{Pid, Signal};
use tempfile::TempDir;

use super::bench::{Bench, Finished, TIMEOUT, finish, start};
use super::directives::{has_requirements, load_of};
use super::points::Points;
use points::{
    at_any_time, at_lines, before_command_is_noted, before_state_file, insert_behind, refused_at_steps,
    with_copy,
};
use records::{lost_records, same_processes, same_records};

/// A session that records something at once.
const BUSY: &str = "buffer 256KiB per cpu; option overwrite off; trace sched:sched_switch { trigger stacktrace count 5; } \
                    trace sched:sched_process_exec if filename != \"it's\";";

/// A session that records nothing.
const QUIET: &str = "trace sched:sched_switch if prev_prio < 0;";

/// The variable by which the processes of the scripts are known. Its value is the process id of the tests.
const MARK: &str = "TRACEC_SCRIPT_OF";

/// The state file of the scripts.
const STATE: &str = "/run/tracec/tracec-script.script";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = Vec::new();
    let points = Points::chosen().unwrap_or_else(|failed| panic!("{failed:?}"));
    let files = super::directives::files(bench);
    let all = files.len();
    // A session that some kernels lack something for is compared on all others.
    let is_chosen = |(number, path): &(usize, PathBuf)| points.takes_one(*number) || has_requirements(path);
    let chosen: Vec<_> = files.into_iter().enumerate().filter(is_chosen).collect();
    println!("NOTE: scripts compared with run: {} of {all} sessions", chosen.len());
    for (_, path) in chosen {
        let Some(load) = load_of(bench, &path) else { continue };
        let session = path.file_stem().unwrap_or_default().display().to_string();
        // The lost records differ from run to run.
        if session == "lost" {
            trials.push(trial(bench, "lost counts them", move |b| lost_records(b, &path, &load)));
            continue;
        }
        let name = format!("{session} records what run does");
        trials.push(trial(bench, &name, move |bench| same_records(bench, &path, &load)));
    }
    for (name, signal) in
        [("INT", Signal::INT), ("TERM", Signal::TERM), ("HUP", Signal::HUP), ("QUIT", Signal::QUIT)]
    {
        trials.push(trial(bench, &format!("signal {name} ends it"), move |b| signalled(b, signal)));
    }
    let mut add = |name, test: fn(&Bench) -> Result<(), Failed>| trials.push(trial(bench, name, test));
    add("SIGKILL, then undo", killed);
    add("its command has the processes that it has below run", same_processes);
    add("points: a refusal at its steps", refused_at_steps);
    add("points: killed at its lines, then undo", |bench| at_lines(bench, "KILL"));
    add("points: terminated at its lines", |bench| at_lines(bench, "TERM"));
    add("points: killed at any time, then undo", at_any_time);
    add("killed with its copy of the records left, then undo", with_copy);
    add("ended before it has a state file, then undo", |bench| {
        before_state_file(bench, "KILL", 137)?;
        before_state_file(bench, "TERM", 143)
    });
    add("a signal before the pid of the command is noted", before_command_is_noted);
    add("started, stopped", state::started);
    add("start, stream and stop leave themselves out", state::commands_leave_themselves_out);
    add("stop ends a stream that waits", state::stop_ends_stream);
    add("stop ends a stream that begins meanwhile", state::stop_ends_late_stream);
    add("stop names another reader", state::other_reader);
    add("stream without the instance", state::stream_without_instance);
    add("standard input is closed", state::closed_input);
    add("a state file that is replaced while it runs", state::replaced_while_running);
    add("its command ends without a signal", command_ends_without_signal);
    add("a keeper that is killed is an error", killed_keeper);
    add("stop after", stop_after);
    add("an instance that is there is not touched", taken);
    add("an event that the kernel lacks", lacking);
    add("a state file of an earlier boot is void", state::earlier_boot);
    add("a damaged state file is reported", state::damaged);
    add("a state file without its version is not used", state::without_version);
    add("a state file that names another process", state::other_process);
    add("undo without a recorded inode", state::unknown_maker);
    add("a state file of another script", state::other_script);
    add("a directory of the state that others can write in", state::shared_directory);
    add("an output that cannot be written is an error", reader::full_output);
    add("an output of a run that is refused is removed", reader::output_of_refused_run);
    add("a reader that is killed is an error", reader::killed_reader);
    add("a signal to the process group", reader::group_signal);
    add("not root", not_root);
    add("commands on a session of root, not root", state::of_root);
    add("no tracefs", no_tracefs);
    trials
}

/// A script, its directory, and the shell that runs it.
struct Script {
    _directory: TempDir,
    path: PathBuf,
    shell: &'static [&'static str],
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
        command.env(MARK, std::process::id().to_string());
        command
    }

    fn run(&self, bench: &Bench, words: &[&str]) -> Result<Finished, Failed> {
        finish(self.command(bench, words), TIMEOUT)
    }

    fn text(&self) -> Result<String, Failed> {
        Ok(std::fs::read_to_string(&self.path)?)
    }

    /// Replaces the lines of the script.
    fn rewrite(&self, lines: &[String]) -> Result<(), Failed> {
        Ok(std::fs::write(&self.path, lines.join("\n") + "\n")?)
    }
}

/// Returns the shells of the machine.
fn shells() -> Vec<&'static [&'static str]> {
    let all: [&[&str]; 2] = [&["dash"], &["busybox", "sh"]];
    let there =
        |shell: &&&[&str]| Command::new(shell[0]).args(&shell[1..]).args(["-c", ":"]).output().is_ok();
    all.iter().filter(there).copied().collect()
}

fn command_with(mut command: Command, arguments: &[&str]) -> Command {
    command.args(arguments);
    command
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

/// Returns a trial. What it leaves if it fails is removed, so that those after it are judged by themselves.
fn trial(
    bench: &Bench,
    name: &str,
    test: impl FnOnce(&Bench) -> Result<(), Failed> + Send + 'static,
) -> Trial {
    bench.trial(&format!("script: {name}"), |bench| test(bench).inspect_err(|_| clear(bench)))
}

fn clear(bench: &Bench) {
    for _ in 0..100 {
        let Some((process, _)) = process_left() else { break };
        // It may have ended meanwhile.
        _ = rustix::process::kill_process(process, Signal::KILL);
        std::thread::sleep(Duration::from_millis(10));
    }
    // What is not there cannot be removed.
    _ = std::fs::remove_dir(bench.tracefs.join("instances/tracec-script"));
    _ = std::fs::remove_file(STATE);
    _ = std::fs::remove_dir("/run/tracec");
}

fn nothing_left(bench: &Bench, shell: &[&str]) -> Result<(), Failed> {
    if bench.has("instances/tracec-script") || Path::new(STATE).exists() {
        return Err(format!("{shell:?}: something is left").into());
    }
    // Another session may have its journal there.
    if std::fs::read_dir("/run/tracec").is_ok_and(|mut entries| entries.next().is_none()) {
        return Err(format!("{shell:?}: /run/tracec is left and empty").into());
    }
    // What a script has ended may take a moment to end.
    let start = Instant::now();
    while let Some((_, process)) = process_left() {
        if start.elapsed() > Duration::from_secs(5) {
            return Err(format!("{shell:?}: a process is left: {process}").into());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Returns the id of a process of a script, and that with its command line.
fn process_left() -> Option<(Pid, String)> {
    let mark = format!("{MARK}={}", std::process::id());
    let processes = std::fs::read_dir("/proc").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    processes.into_iter().find_map(|path| {
        // A process that has ended and that nobody has waited for has no environment.
        let environment = std::fs::read(path.join("environ")).ok()?;
        environment.split(|byte| *byte == 0).find(|variable| *variable == mark.as_bytes())?;
        let line = std::fs::read(path.join("cmdline")).ok()?;
        let id = Pid::from_raw(path.file_name()?.to_str()?.parse().ok()?)?;
        Some((id, format!("{}: {}", path.display(), String::from_utf8_lossy(&line).replace('\0', " "))))
    })
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

fn stop_after(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", &format!("stop after 300ms; {QUIET}")], shell)?;
        let said = script.run(bench, &[])?;
        said.expect_status(0)?.expect_stderr("0 records, 0 lost, ended after 0.3 s")?;
        // The shell would report that the reader was killed.
        if said.stderr.lines().count() != 1 {
            return Err(format!("{shell:?}: more than the summary\n{said}").into());
        }
        script.run(bench, &["--for", "1"])?.expect_status(0)?.expect_stderr("ended after 1 s")?;
        script.run(bench, &["--for", "1x"])?.expect_status(2)?;
    }
    Ok(())
}

/// A signal that comes just before a shell reads is noticed after the read, which nothing else may end: a run notices the
/// end of its command without one.
fn command_ends_without_signal(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        let text = script.text()?;
        let changed = text.replace("    trap 'echo child 0 >&8' CHLD\n", "");
        if changed == text {
            return Err("the script has another text: the test proves nothing".into());
        }
        std::fs::write(&script.path, changed)?;
        let said = script.run(bench, &["run", "--", "sh", "-c", "sleep 0.3; exit 3"])?;
        said.expect_status(3)?.expect_stderr("ended with its command (exit status 3)")?;
        nothing_left(bench, shell)?;
    }
    Ok(())
}

/// A run whose keeper is killed does not wait for a report that nobody will write.
fn killed_keeper(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", QUIET], shell)?;
        // A shell can miss the end of a child that comes just before it reads the reports. The end of the process that
        // kills comes when it reads, and makes it look for the keeper too.
        let kill = "    { kill -s KILL \"$keeper\"; sleep 0.2; } &";
        insert_behind(&script, "    [ -z \"$command\" ] || echo go >&3", kill)?;
        let said = script.run(bench, &["run", "--", "sleep", "0.3"])?;
        said.expect_status(1)?.expect_stderr("the process that waits for the command was killed")?;
        said.expect_stderr("ended by an error")?;
        nothing_left(bench, shell)?;
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

/// Runs a copy of the script that everyone can read as another user than root.
fn run_not_root(script: &Script, words: &[&str]) -> Result<Finished, Failed> {
    use std::os::unix::process::CommandExt;
    let open = std::env::temp_dir().join("tracec-script-not-root.sh");
    std::fs::write(&open, script.text()?)?;
    let mut command = Command::new(script.shell[0]);
    command.args(&script.shell[1..]).arg(&open).args(words).uid(65534).gid(65534).current_dir("/");
    let said = finish(command, TIMEOUT);
    std::fs::remove_file(&open)?;
    said
}

fn not_root(bench: &Bench) -> Result<(), Failed> {
    for shell in shells() {
        let script = Script::build(bench, &["-e", BUSY], shell)?;
        let tracefs = bench.tracefs.display().to_string();
        for words in [&["run", "--", "true"][..], &["--tracefs", &tracefs, "run", "--", "true"]] {
            let said = run_not_root(&script, words)?;
            said.expect_status(4)?.expect_stderr("run this as root")?;
        }
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
