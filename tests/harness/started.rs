//! Sessions that outlive the shell: they are started, asked and stopped by commands of their own, and leave nothing whatever
//! becomes of their supervisor or of a client.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::fs::inotify;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::Value;

use super::bench::{Bench, Finished, TIMEOUT, default_signals, finish, start};
use super::points::Points;
use super::scopes::ask;

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("started: a session is armed at its start, and put back at its stop", start_to_stop),
        bench.trial("started: a session goes on when its shell is killed", shell_is_killed),
        bench.trial("started: a mistake ends as with run", mistakes),
        bench.trial("started: two sessions of one name", two_of_a_name),
        bench.trial("started: two sessions, and a copy, of one output", two_of_an_output),
        bench.trial("started: paused, marked and resumed", paused_and_marked),
        bench.trial("started: a ring is cleared", ring_is_cleared),
        bench.trial("started: a session that writes nothing besides its dumps", dumps_only),
        bench.trial("started: the result of a session that ends by itself is kept", result_is_kept),
        bench.trial("started: tail shows records, and ends with the session", tail),
        bench.trial("started: a signal at attach ends the session", attach),
        bench.trial("started: a session that nobody confirms ends (peer failure 9)", unconfirmed),
        bench.trial("started: a client that is killed leaves nothing", client_is_killed),
        bench.trial("started: drift is said clause by clause", drift),
        bench.trial(
            "started: drift names the clause of each file that is edited (peer failure 10)",
            drift_of_each_file,
        ),
        bench.trial("started: drift opens nothing for writing", drift_only_reads),
        bench.trial("started: a supervisor that is killed is said and recovered", supervisor_is_killed),
        bench.trial("started: a supervisor that is stopped does not answer", supervisor_is_stopped),
        bench.trial("started: a socket that is removed", socket_is_removed),
        bench.trial("started: clients of other versions, and bad ones", bad_clients),
        bench.trial("started: an instance that somebody wants to remove", instance_is_removed),
        bench.trial("started: commands that cannot run, or end at once", commands),
        bench.trial("started: twenty sessions at once leave nothing", twenty_at_once),
    ]
}

const FIRST: i32 = 1_900_000_001;
const SECOND: i32 = 1_900_000_002;
const THIRD: i32 = 1_900_000_003;

/// Records what is asked of these numbers: other tasks ask too.
const ASKED: &str = "trace syscalls:sys_enter_kill if pid in {1900000001..=1900000009};";

/// The sessions of a trial, in a runtime directory of its own.
pub(crate) struct Sessions<'b> {
    pub(crate) bench: &'b Bench,
    directory: tempfile::TempDir,
}

impl<'b> Sessions<'b> {
    pub(crate) fn new(bench: &'b Bench) -> Result<Self, Failed> {
        Ok(Sessions { bench, directory: tempfile::tempdir()? })
    }

    pub(crate) fn runtime_dir(&self) -> PathBuf {
        self.directory.path().join("run")
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.directory.path().join(file)
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(&self.bench.tracec);
        let (subcommand, rest) = words.split_first().unwrap_or((&"status", &[]));
        command.arg(subcommand).arg("--runtime-dir").arg(self.runtime_dir());
        if matches!(*subcommand, "start" | "recover" | "collect") {
            command.arg("--tracefs").arg(&self.bench.tracefs);
        }
        command.args(rest);
        command
    }

    pub(crate) fn run(&self, words: &[&str]) -> Result<Finished, Failed> {
        finish(self.command(words), TIMEOUT)
    }

    /// Starts a session, whose records go to a file.
    pub(crate) fn start(&self, text: &str, file: &str, more: &[&str]) -> Result<Finished, Failed> {
        let path = self.path(file);
        let words = ["start", "-e", text, "-o", path.to_str().ok_or("a path")?];
        self.run(&[&words[..], more].concat())
    }

    /// Returns what `status` says of the one session.
    pub(crate) fn status(&self) -> Result<Value, Failed> {
        let status = self.run(&["status", "--json"])?;
        let line = status.stdout.lines().next().ok_or_else(|| format!("no session\n{status}"))?;
        Ok(serde_json::from_str(line)?)
    }

    fn pid(&self) -> Result<Pid, Failed> {
        let pid = self.status()?["pid"].as_i64().and_then(|pid| i32::try_from(pid).ok());
        Ok(pid.and_then(Pid::from_raw).ok_or("no pid")?)
    }

    /// Returns the numbers that were asked for, by a file of JSON lines.
    pub(crate) fn asked(&self, file: &str) -> Result<Vec<i64>, Failed> {
        let text = std::fs::read_to_string(self.path(file))?;
        let records: Vec<Value> = text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
        let asked = records.iter().filter(|record| record["event"] == "syscalls:sys_enter_kill");
        Ok(asked.map(|record| record["fields"]["pid"].as_i64().unwrap_or(-1)).collect())
    }

    /// Waits until the number of records that the session has written is this.
    fn until_written(&self, records: u64) -> Result<(), Failed> {
        until("the records were not written", || Ok(self.status()?["records"].as_u64() == Some(records)))
    }

    fn socket(&self, name: &str) -> PathBuf {
        self.runtime_dir().join(format!("started/{name}.socket"))
    }

    /// Returns the ids of the processes that supervise the sessions of this trial.
    fn processes(&self) -> Result<Vec<Pid>, Failed> {
        let wanted = self.runtime_dir();
        let wanted = wanted.to_str().ok_or("a path")?.as_bytes();
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc")? {
            let entry = entry?;
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // A process may have ended meanwhile.
            let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let is_start = words.split(|byte| *byte == 0).any(|word| word == b"start");
            if is_start && words.windows(wanted.len()).any(|part| part == wanted) {
                found.extend(Pid::from_raw(pid));
            }
        }
        Ok(found)
    }

    /// Fails unless all sessions are gone, with all that they had.
    pub(crate) fn nothing_is_left(&self) -> Result<(), Failed> {
        until("a supervisor still runs", || Ok(self.processes()?.is_empty()))?;
        match std::fs::read_dir(self.runtime_dir()) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
            Ok(entries) => {
                let names: Vec<_> =
                    entries.map(|entry| Ok(entry?.file_name())).collect::<Result<_, Failed>>()?;
                if names.is_empty() { Ok(()) } else { Err(format!("{names:?} are left").into()) }
            }
        }
    }
}

impl Drop for Sessions<'_> {
    fn drop(&mut self) {
        // After a test that failed half-way. The snapshot after the test shows what is left.
        for pid in self.processes().unwrap_or_default() {
            let _ = kill_process(pid, Signal::CONT);
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = until("a supervisor still runs", || Ok(self.processes()?.is_empty()));
        let _ = self.run(&["recover"]);
    }
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> Result<bool, Failed>) -> Result<(), Failed> {
    let begin = Instant::now();
    while !is_so()? {
        if begin.elapsed() > TIMEOUT {
            return Err(what.into());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

pub(crate) fn same<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("{found:?}, expected {expected:?}").into()) }
}

fn start_to_stop(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let started = sessions.start(ASKED, "a.jsonl", &["--name", "asked"])?;
    started.expect_status(0)?.expect_stdout("asked: started, pid ")?.expect_stdout(", instance tracec.")?;
    // It is armed: nothing is missed.
    ask(FIRST);
    let status = sessions.status()?;
    same(&(status["name"].as_str(), status["state"].as_str()), &(Some("asked"), Some("running")))?;
    let instance = status["instance"].as_str().ok_or("no instance")?;
    if !bench.has(&format!("instances/{instance}")) {
        return Err(format!("there is no {instance}").into());
    }
    sessions.run(&["status"])?.expect_status(0)?.expect_stdout("asked: running, pid ")?;
    let pid = sessions.pid()?.as_raw_nonzero();
    for (number, access) in [(0, "/dev/null"), (1, "/dev/null"), (2, "/dev/null")] {
        same(&std::fs::read_link(format!("/proc/{pid}/fd/{number}"))?, &PathBuf::from(access))?;
    }
    ask(SECOND);
    let stopped = sessions.run(&["stop"])?;
    stopped.expect_status(0)?.expect_stderr("2 records, nothing lost, ended by `tracec stop` after ")?;
    same(&sessions.asked("a.jsonl")?, &vec![i64::from(FIRST), i64::from(SECOND)])?;
    if bench.has(&format!("instances/{instance}")) {
        return Err(format!("{instance} is left").into());
    }
    sessions.run(&["status"])?.expect_status(0)?.expect_stderr("no session is started")?;
    sessions.run(&["stop"])?.expect_status(1)?.expect_stderr("no session is started")?;
    sessions.nothing_is_left()
}

fn shell_is_killed(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let mut shell = Command::new("/bin/sh");
    let start = sessions.command(&["start", "--name", "a", "-e", ASKED, "-o"]);
    let path = sessions.path("a.jsonl");
    let words: Vec<&str> =
        start.get_args().chain([path.as_os_str()]).filter_map(|word| word.to_str()).collect();
    let program = bench.tracec.to_str().ok_or("a path")?;
    shell.args(["-c", "\"$@\" && echo armed && exec sleep 1000", "sh", program]).args(words);
    shell.stdin(Stdio::null()).process_group(0);
    let mut running = start_in_group(shell)?;
    let group = running.pid;
    running.until("armed")?;
    kill_process_group(group, Signal::HUP)?;
    kill_process_group(group, Signal::KILL)?;
    running.child.wait()?;
    ask(FIRST);
    let pid = sessions.pid()?;
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()))?;
    let fields: Vec<&str> = stat.rsplit_once(") ").ok_or("no stat")?.1.split(' ').collect();
    // The group and the session are its own, and no terminal controls it.
    if fields[2] == group.as_raw_nonzero().to_string() || fields[4] != "0" {
        return Err(format!("{stat:?} is of the group {group:?}").into());
    }
    sessions.run(&["stop", "a"])?.expect_status(0)?.expect_stderr("1 record, nothing lost")?;
    sessions.nothing_is_left()
}

/// A command in a process group of its own.
struct Grouped {
    child: Child,
    pid: Pid,
    stdout: std::process::ChildStdout,
}

fn start_in_group(mut command: Command) -> Result<Grouped, Failed> {
    default_signals(&mut command);
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let (pid, stdout) = (Pid::from_child(&child), child.stdout.take().ok_or("no output")?);
    Ok(Grouped { child, pid, stdout })
}

impl Grouped {
    fn until(&mut self, text: &str) -> Result<(), Failed> {
        let mut said = Vec::new();
        let mut chunk = [0; 256];
        while !String::from_utf8_lossy(&said).contains(text) {
            match self.stdout.read(&mut chunk)? {
                0 => return Err(format!("{}", String::from_utf8_lossy(&said)).into()),
                length => said.extend_from_slice(&chunk[..length]),
            }
        }
        Ok(())
    }
}

fn mistakes(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let no_file = sessions.run(&["start", "-e", "sched:sched_switch"])?;
    no_file.expect_status(64)?.expect_stderr("give `-o FILE`")?;
    let unknown = sessions.start("sched:sched_switch if nope == 1", "a.txt", &[])?;
    let of_run = finish(
        {
            let mut run = bench.tracec("run");
            run.args(["-e", "sched:sched_switch if nope == 1"]);
            run
        },
        TIMEOUT,
    )?;
    same(&(unknown.status.code(), unknown.stderr), &(of_run.status.code(), of_run.stderr))?;
    let refused = sessions.start("trace sched:sched_switch; stop with process 1900000001;", "a.txt", &[])?;
    refused.expect_status(1)?.expect_stderr("process 1900000001")?;
    let name = sessions.start("sched:sched_switch", "a.txt", &["--name", "../a"])?;
    name.expect_status(1)?.expect_stderr("cannot name a started session")?;
    let directory = sessions.start("sched:sched_switch", "no/directory.txt", &[])?;
    directory.expect_status(1)?.expect_stderr("no/directory.txt")?;
    if sessions.path("a.txt").exists() {
        return Err("an output is left".into());
    }
    sessions.nothing_is_left()
}

fn two_of_a_name(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let second = sessions.start(ASKED, "b.jsonl", &["--name", "a"])?;
    second.expect_status(1)?.expect_stderr("error[T0528]: a session `a` was started and still runs (pid ")?;
    sessions.start(ASKED, "b.jsonl", &["--name", "b"])?.expect_status(0)?;
    sessions.run(&["stop"])?.expect_status(64)?.expect_stderr("name one: `a`, `b`")?;
    sessions.run(&["stop", "c"])?.expect_status(1)?.expect_stderr("there is no session `c`")?;
    same(&sessions.run(&["status"])?.stdout.lines().count(), &2)?;
    ask(FIRST);
    for name in ["a", "b"] {
        sessions.run(&["stop", name])?.expect_status(0)?.expect_stderr("1 record, nothing lost")?;
    }
    sessions.nothing_is_left()
}

/// A file that a session writes is nobody else's to write.
fn two_of_an_output(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.dat", &["--name", "a"])?.expect_status(0)?;
    let second = sessions.start(ASKED, "a.dat", &["--name", "b"])?;
    second.expect_status(1)?.expect_stderr("another session is writing it")?;
    let mut copy = Command::new(&bench.tracec);
    copy.arg("convert").arg(sessions.path("a.dat")).arg("-o").arg(sessions.path("a.dat"));
    finish(copy, TIMEOUT)?.expect_status(64)?.expect_stderr("is being written by a session")?;
    ask(FIRST);
    sessions.run(&["stop"])?.expect_status(0)?;
    let mut report = Command::new(&bench.tracec);
    report.arg("report").arg(sessions.path("a.dat"));
    finish(report, TIMEOUT)?.expect_status(0)?.expect_stderr("1 records, 0 lost")?;
    sessions.nothing_is_left()
}

fn paused_and_marked(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    sessions.run(&["resume"])?.expect_status(1)?.expect_stderr("the session is not paused")?;
    ask(FIRST);
    sessions.run(&["mark", "a", "one \u{e4}"])?.expect_status(0)?;
    sessions.run(&["pause"])?.expect_status(0)?;
    same(&sessions.status()?["state"].as_str(), &Some("paused"))?;
    ask(SECOND);
    sessions.run(&["mark", "two"])?.expect_status(1)?.expect_stderr("the session does not record now")?;
    sessions.run(&["resume"])?.expect_status(0)?;
    same(&sessions.status()?["state"].as_str(), &Some("running"))?;
    ask(THIRD);
    sessions.run(&["mark", ""])?.expect_status(1)?.expect_stderr("the text of a mark is not empty")?;
    sessions.run(&["mark", &"x".repeat(1025)])?.expect_status(1)?.expect_stderr("keep 1024")?;
    sessions.run(&["clear"])?.expect_status(1)?.expect_stderr("a session with `ring`")?;
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("3 records, nothing lost")?;
    same(&sessions.asked("a.jsonl")?, &vec![i64::from(FIRST), i64::from(THIRD)])?;
    let text = std::fs::read_to_string(sessions.path("a.jsonl"))?;
    let marks: Vec<&str> = text.lines().filter(|line| line.contains("ftrace:print")).collect();
    if marks.len() != 1 || !marks[0].contains("one \u{e4}") {
        return Err(text.into());
    }
    sessions.nothing_is_left()
}

fn ring_is_cleared(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let text = format!("ring; buffer 64KiB per cpu; {ASKED}");
    sessions.start(&text, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    ask(FIRST);
    same(&sessions.status()?["records"].as_u64(), &Some(1))?;
    sessions.run(&["tail"])?.expect_status(64)?.expect_stderr("has a ring")?;
    sessions.run(&["clear"])?.expect_status(0)?;
    same(&sessions.status()?["records"].as_u64(), &Some(0))?;
    ask(SECOND);
    sessions
        .run(&["stop"])?
        .expect_status(0)?
        .expect_stderr("1 record since it was cleared, nothing lost")?;
    same(&sessions.asked("a.jsonl")?, &vec![i64::from(SECOND)])?;
    sessions.nothing_is_left()
}

fn dumps_only(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let (to, other) = (sessions.path("d-{n}.jsonl"), sessions.path("b.jsonl"));
    let text = format!(
        "ring; clock mono; {ASKED} dump on syscalls:sys_enter_kill if pid == {SECOND} to \"{}\" max 2;",
        to.display()
    );
    let started = sessions.run(&["start", "-e", &text, "--name", "a"])?;
    started.expect_status(0)?.expect_stdout("output none besides its dumps")?;
    sessions.run(&["status"])?.expect_status(0)?.expect_stdout("output none besides its dumps")?;
    same(&sessions.status()?["output"], &Value::Null)?;
    sessions.run(&["tail"])?.expect_status(64)?.expect_stderr("has a ring")?;
    [FIRST, SECOND].into_iter().for_each(ask);
    let written = sessions.path("d-1.jsonl");
    until("the dump is not written", || Ok(written.exists()))?;
    same(&sessions.asked("d-1.jsonl")?, &vec![i64::from(FIRST), i64::from(SECOND)])?;
    ask(THIRD);
    // A snapshot takes what the ring has, and the next dump begins behind it.
    let other = other.to_str().ok_or("a path")?;
    sessions.run(&["snapshot", "-o", other])?.expect_status(0)?.expect_stdout("b.jsonl: 1 record")?;
    same(&sessions.asked("b.jsonl")?, &vec![i64::from(THIRD)])?;
    ask(SECOND);
    until("the dump is not written", || Ok(sessions.path("d-2.jsonl").exists()))?;
    same(&sessions.asked("d-2.jsonl")?, &vec![i64::from(SECOND)])?;
    sessions
        .run(&["stop"])?
        .expect_status(0)?
        .expect_stderr("2 dumps, nothing lost, ended by `tracec stop`")?;
    sessions.nothing_is_left()
}

fn result_is_kept(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let end = format!("stop on syscalls:sys_enter_kill if pid == {SECOND}; {ASKED}");
    sessions.start(&end, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    [FIRST, SECOND, THIRD].into_iter().for_each(ask);
    let ended = "the session does not end";
    until(ended, || Ok(sessions.status()?["state"] == "ended"))?;
    sessions.run(&["status"])?.expect_status(0)?.expect_stdout("2 records, nothing lost, ended by ")?;
    sessions.run(&["pause"])?.expect_status(1)?.expect_stderr("has ended")?;
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("2 records, nothing lost, ended by ")?;
    // The exit status is that of the command; its name can be used again at once.
    for _ in 0..2 {
        sessions.start(ASKED, "b.jsonl", &["--name", "a", "--", "sh", "-c", "exit 7"])?.expect_status(0)?;
        until(ended, || Ok(sessions.status()?["state"] == "ended"))?;
    }
    sessions.run(&["stop"])?.expect_status(7)?.expect_stderr("ended with its command (exit status: 7)")?;
    sessions.nothing_is_left()
}

fn tail(bench: &Bench) -> Result<(), Failed> {
    for (file, mark) in [("a.jsonl", "\"pid\":1900000001"), ("a.txt", "713fb301"), ("a.dat", "713fb301")] {
        let sessions = Sessions::new(bench)?;
        sessions.start(ASKED, file, &["--name", "a"])?.expect_status(0)?;
        let mut tail = start(sessions.command(&["tail"]))?;
        ask(FIRST);
        tail.until(mark, TIMEOUT).map_err(|error| format!("{file}: {error:?}"))?;
        ask(SECOND);
        sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("2 records, nothing lost")?;
        let tail = tail.wait(TIMEOUT)?;
        tail.expect_status(0)?.expect_stderr("2 records, nothing lost, ended by `tracec stop`")?;
        same(&tail.stdout.lines().count(), &2)?;
        sessions.nothing_is_left()?;
    }
    Ok(())
}

fn attach(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    // Another client is not disturbed by it, and prints the end too.
    let mut other = start(sessions.command(&["tail"]))?;
    let mut attached = start(sessions.command(&["attach"]))?;
    ask(FIRST);
    attached.until("\"pid\":1900000001", TIMEOUT)?;
    other.until("\"pid\":1900000001", TIMEOUT)?;
    attached.signal(Signal::INT)?;
    let end = "1 record, nothing lost, ended by `tracec stop`";
    attached.wait(TIMEOUT)?.expect_status(0)?.expect_stderr(end)?;
    other.wait(TIMEOUT)?.expect_status(0)?.expect_stderr(end)?;
    sessions.nothing_is_left()
}

fn unconfirmed(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let within = ["--name", "a", "--confirm-within"];
    let started = sessions.start(ASKED, "a.jsonl", &[&within[..], &["200ms"]].concat())?;
    started.expect_status(0)?.expect_stdout("a: ends in 200ms unless you type `tracec confirm a`")?;
    sessions.nothing_is_left()?;
    sessions.start(ASKED, "a.jsonl", &[&within[..], &["1000s"]].concat())?.expect_status(0)?;
    if sessions.status()?["unconfirmed_ms"].as_u64().is_none_or(|left| left > 1_000_000) {
        return Err("the time to confirm is not said".into());
    }
    sessions.run(&["confirm"])?.expect_status(0)?;
    same(&sessions.status()?["unconfirmed_ms"], &Value::Null)?;
    sessions.run(&["stop"])?.expect_status(0)?;
    sessions.nothing_is_left()
}

/// The client is killed at any moment: before the session is armed the session ends with it, and after that because nobody
/// confirms it.
fn client_is_killed(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let path = sessions.path("a.jsonl");
    let path = path.to_str().ok_or("a path")?;
    let words = ["start", "--name", "a", "--confirm-within", "100ms", "-e", ASKED, "-o", path];
    let begin = Instant::now();
    sessions.run(&words)?.expect_status(0)?;
    let whole = begin.elapsed();
    let moments: Vec<u32> = (0..40).collect();
    for moment in Points::chosen()?.of(&moments, "kills of a client") {
        let mut client = sessions.command(&words).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        std::thread::sleep(whole * *moment / 32);
        client.kill()?;
        client.wait()?;
        sessions.nothing_is_left()?;
    }
    // Nobody has to confirm it, and nobody knows of it: its client is gone when it is armed.
    let mut command = sessions.command(&words[..3]);
    command.args(["-e", ASKED, "-o", path, "--"]);
    let mut client = command.args(["sleep", "1000"]).stdout(Stdio::null()).spawn()?;
    client.kill()?;
    client.wait()?;
    sessions.nothing_is_left()
}

fn drift(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let text = format!(
        "buffer 64KiB per cpu;\nclock mono;\n{ASKED}\ntrace syscalls:sys_enter_reboot {{ trigger stacktrace count 5; }}"
    );
    sessions.start(&text, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    sessions.run(&["drift"])?.expect_status(0)?.expect_stdout("a: nothing differs")?;
    let instance =
        bench.tracefs.join("instances").join(sessions.status()?["instance"].as_str().ok_or("no instance")?);
    let write = |file: &str, value: &str| std::fs::write(instance.join(file), value);
    write("buffer_size_kb", "256")?;
    write("events/syscalls/sys_enter_kill/enable", "0")?;
    write("events/syscalls/sys_enter_reboot/trigger", "!stacktrace")?;
    write("tracing_on", "0")?;
    let found = sessions.run(&["drift"])?;
    found
        .expect_status(2)?
        .expect_stdout("-e:1: buffer 64KiB per cpu;: ")?
        .expect_stdout("/buffer_size_kb held `")?
        .expect_stdout("-e:3: ")?
        .expect_stdout("/events/syscalls/sys_enter_kill/enable held `1`, and holds `0`")?
        .expect_stdout("/events/syscalls/sys_enter_reboot/trigger held `")?
        .expect_stdout("/tracing_on held `1`, and holds `0`")?;
    same(&found.stdout.lines().count(), &4)?;
    same(&sessions.status()?["state"].as_str(), &Some("off"))?;
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("recording was off at the end")?;
    sessions.nothing_is_left()
}

/// The generated sessions whose files are edited one after the other, unless `TRACEC_DRIFTS` says how many.
const DRIFTS: u64 = 4;

/// Events of every kernel, each with a field.
const EVENTS: [(&str, &str); 7] = [
    ("sched:sched_switch", "prev_prio"),
    ("sched:sched_waking", "prio"),
    ("sched:sched_process_exit", "pid"),
    ("signal:signal_generate", "sig"),
    ("syscalls:sys_enter_kill", "pid"),
    ("irq:softirq_entry", "vec"),
    ("kmem:kmalloc", "bytes_req"),
];

/// Returns a session, a clause on each line. Its conditions are true for no record.
fn generated(has_subbuffer: bool, random: &mut impl FnMut(usize) -> usize) -> String {
    let mut lines = Vec::new();
    let mut choose = |all: &[&str], random: &mut dyn FnMut(usize) -> usize| {
        let chosen = all[random(all.len())];
        lines.extend((!chosen.is_empty()).then(|| chosen.to_owned()));
    };
    // A ring has whole sub-buffers: an edit of their size changes its own.
    let sizes =
        ["", "buffer 64KiB per cpu;", "buffer 128KiB per cpu;", "buffer 300KiB per cpu;", "subbuffer 16KiB;"];
    choose(if has_subbuffer { &sizes } else { &sizes[..4] }, random);
    choose(&["", "clock mono;", "clock boot;", "clock uptime;"], random);
    choose(&["", "option event-fork;"], random);
    choose(&["", "option overwrite off;"], random);
    let first = random(EVENTS.len());
    for at in 0..=random(5) {
        let (event, field) = EVENTS[(first + at) % EVENTS.len()];
        let condition = format!("{field} == {}", 900_000 + random(1000));
        lines.push(match random(4) {
            0 => format!("trace {event} if {condition};"),
            1 => {
                format!("trace {event} if {condition} {{ trigger stacktrace count 5; }}")
            }
            2 => format!("on {event} {{ trigger traceoff if {condition}; }}"),
            _ => format!("trace {event} if {condition} || {field} == 7 && common_pid == 1;"),
        });
    }
    lines.push(ASKED.replace("sys_enter_kill", "sys_enter_tkill"));
    lines.join("\n")
}

/// What a session writes to a file of its instance, as its plan says, and the line of the clause.
struct Planned {
    file: String,
    value: String,
    is_list: bool,
    line: usize,
}

fn planned(sessions: &Sessions<'_>, text: &str) -> Result<Vec<Planned>, Failed> {
    let mut command = Command::new(&sessions.bench.tracec);
    command.arg("plan").arg("--tracefs").arg(&sessions.bench.tracefs).args(["--json", "-e", text]);
    let shown = finish(command, TIMEOUT)?;
    // There is something to change.
    shown.expect_status(2)?;
    let plan: Value = serde_json::from_str(&shown.stdout)?;
    let mut all: Vec<Planned> = Vec::new();
    for step in plan["transaction"]["steps"].as_array().ok_or("no steps")? {
        let (written, is_list) = match (&step["action"]["write"], &step["action"]["append"]) {
            (Value::Null, Value::Null) => continue,
            (Value::Null, appended) => (appended, true),
            (written, _) => (written, false),
        };
        let part = |value: &Value| value.as_str().map(str::to_owned).ok_or("not a text");
        let (file, value) = (part(&written["file"]["instance"])?, part(&written["value"])?);
        let start = step["origin"]["start"].as_u64().and_then(|start| usize::try_from(start).ok());
        let line = 1 + text[..start.ok_or("no start")?].matches('\n').count();
        // The last one counts.
        all.retain(|other| other.file != file);
        all.push(Planned { file, value, is_list, line });
    }
    Ok(all)
}

/// Each file that a session has written is edited by hand in turn: only its clause is named, until the edit is undone.
fn drift_of_each_file(bench: &Bench) -> Result<(), Failed> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (count, seed) = (number("TRACEC_DRIFTS").unwrap_or(DRIFTS), number("TRACEC_SEED").unwrap_or(1));
    let mut files = 0;
    for session in 0..count {
        let mut state = (seed << 32 | session).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut random = move |most: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from((state >> 33) % most as u64).unwrap_or(0)
        };
        let text = generated(bench.has("buffer_subbuf_size_kb"), &mut random);
        let sessions = Sessions::new(bench)?;
        let planned = planned(&sessions, &text)?;
        sessions.start(&text, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
        let instance = sessions.status()?["instance"].as_str().ok_or("no instance")?.to_owned();
        let instance = bench.tracefs.join("instances").join(instance);
        let same_as_set = || -> Result<(), Failed> {
            let found = sessions.run(&["drift"])?;
            found.expect_status(0)?.expect_stdout("a: nothing differs")?;
            Ok(())
        };
        same_as_set()?;
        for Planned { file, value, is_list, line } in &planned {
            let edited = match file.rsplit('/').next().unwrap_or_default() {
                _ if *is_list => format!("!{value}"),
                "buffer_size_kb" => "1000".to_owned(),
                "buffer_subbuf_size_kb" => "8".to_owned(),
                "buffer_percent" => "17".to_owned(),
                "trace_clock" => "global".to_owned(),
                "filter" => "common_pid == 3".to_owned(),
                _ if value == "1" => "0".to_owned(),
                _ if value == "0" => "1".to_owned(),
                _ => return Err(format!("{file} is not known: {value}\n{text}").into()),
            };
            std::fs::write(instance.join(file), edited)?;
            let found = sessions.run(&["drift"])?;
            let lines: Vec<&str> = found.stdout.lines().collect();
            let is_named = |said: &&str| {
                said.starts_with(&format!("-e:{line}: ")) && said.contains(&format!("/{file} held `"))
            };
            if !matches!(lines.as_slice(), [only] if is_named(only)) {
                return Err(format!("session {session}, {file} of line {line}:\n{found}\n{text}").into());
            }
            found.expect_status(2)?;
            std::fs::write(instance.join(file), value)?;
            same_as_set()?;
            files += 1;
        }
        sessions.run(&["stop"])?.expect_status(0)?;
        sessions.nothing_is_left()?;
    }
    println!("NOTE: {count} sessions, of which {files} files were edited");
    same(&(files >= 5 * count), &true)
}

/// A file that was open for writing is noticed when it is closed.
fn drift_only_reads(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let text = format!("buffer 64KiB per cpu; clock mono; {ASKED}");
    sessions.start(&text, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let instance = sessions.status()?["instance"].as_str().ok_or("no instance")?.to_owned();
    let instance = bench.tracefs.join("instances").join(instance);
    let notified = inotify::init(inotify::CreateFlags::NONBLOCK | inotify::CreateFlags::CLOEXEC)?;
    for file in ["buffer_size_kb", "trace_clock", "tracing_on", "events/syscalls/sys_enter_kill/filter"] {
        let watched = inotify::WatchFlags::CLOSE_WRITE | inotify::WatchFlags::OPEN;
        inotify::add_watch(&notified, instance.join(file), watched)?;
    }
    let noticed = || -> Result<(usize, usize), Failed> {
        let mut bytes = [std::mem::MaybeUninit::uninit(); 4096];
        let mut reader = inotify::Reader::new(&notified, &mut bytes);
        let (mut opened, mut written) = (0, 0);
        loop {
            match reader.next() {
                Ok(event) => {
                    opened += usize::from(event.events().contains(inotify::ReadFlags::OPEN));
                    written += usize::from(event.events().contains(inotify::ReadFlags::CLOSE_WRITE));
                }
                Err(rustix::io::Errno::AGAIN) => return Ok((opened, written)),
                Err(errno) => return Err(errno.into()),
            }
        }
    };
    std::fs::write(instance.join("tracing_on"), "1")?;
    same(&noticed()?, &(1, 1))?;
    sessions.run(&["drift"])?.expect_status(0)?;
    same(&noticed()?, &(4, 0))?;
    drop(notified);
    sessions.run(&["stop"])?.expect_status(0)?;
    sessions.nothing_is_left()
}

fn supervisor_is_killed(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let mut tail = start(sessions.command(&["tail"]))?;
    ask(FIRST);
    tail.until("\"pid\":1900000001", TIMEOUT)?;
    kill_process(sessions.pid()?, Signal::KILL)?;
    tail.wait(TIMEOUT)?.expect_status(1)?.expect_stderr("`tracec recover`")?;
    until("it is not said", || Ok(sessions.status()?["state"] == "dead"))?;
    sessions.run(&["status"])?.expect_status(1)?.expect_stdout("was killed: `tracec recover`")?;
    for words in [&["stop"][..], &["pause"], &["mark", "x"], &["drift"], &["tail"]] {
        sessions.run(words)?.expect_status(1)?.expect_stderr("was killed: `tracec recover`")?;
    }
    let again = sessions.start(ASKED, "b.jsonl", &["--name", "a"])?;
    again.expect_status(1)?.expect_stderr("was killed: `tracec recover`")?;
    let recovered = sessions.run(&["recover"])?;
    recovered.expect_status(0)?.expect_stdout("instances/tracec.")?.expect_stdout("started/a.session: ")?;
    sessions.run(&["status"])?.expect_stderr("no session is started")?;
    sessions.start(ASKED, "b.jsonl", &["--name", "a"])?.expect_status(0)?;
    sessions.run(&["stop"])?.expect_status(0)?;
    sessions.nothing_is_left()
}

/// More clients than a queue has room for.
const MANY: usize = 100_000;

fn supervisor_is_stopped(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let pid = sessions.pid()?;
    kill_process(pid, Signal::STOP)?;
    let begin = Instant::now();
    for words in [&["status"][..], &["pause"], &["stop"]] {
        let silent = sessions.run(words)?;
        silent.expect_status(1)?.expect_stderr("does not answer: its supervisor is stopped; `kill -CONT ")?;
    }
    // Where the queue of clients is full, connect(2) waits too.
    let (path, (send, connected)) = (sessions.socket("a"), std::sync::mpsc::channel());
    let many = std::thread::spawn(move || {
        (0..MANY).try_for_each(|_| UnixStream::connect(&path).map(|_| send.send(()).unwrap_or_default()))
    });
    while connected.recv_timeout(Duration::from_secs(1)).is_ok() {}
    let is_full = !many.is_finished();
    let silent = sessions.run(&["status"])?;
    let waited = begin.elapsed();
    kill_process(pid, Signal::CONT)?;
    many.join().map_err(|_| "a thread has panicked")??;
    silent.expect_status(1)?.expect_stderr("does not answer: its supervisor is stopped; `kill -CONT ")?;
    same(&is_full, &true)?;
    if waited > Duration::from_secs(60) {
        return Err(format!("the clients have waited for {waited:?}").into());
    }
    // Those who have asked meanwhile have gone, and nothing is done for them.
    until("the session does not go on", || Ok(sessions.status()?["state"] == "running"))?;
    ask(FIRST);
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("1 record, nothing lost")?;
    sessions.nothing_is_left()
}

fn socket_is_removed(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let pid = sessions.pid()?;
    std::fs::remove_file(sessions.socket("a"))?;
    let raw = pid.as_raw_nonzero();
    let way_out = format!(
        "the socket of the session `a` was removed: {}; `kill -TERM {raw}` ends it",
        sessions.socket("a").display()
    );
    for words in [&["status"][..], &["stop"]] {
        sessions.run(words)?.expect_status(1)?.expect_stderr(&way_out)?;
    }
    ask(FIRST);
    kill_process(pid, Signal::TERM)?;
    until("the session does not end", || Ok(sessions.status()?["state"] == "ended"))?;
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("1 record, nothing lost, ended by signal 15")?;
    sessions.nothing_is_left()
}

fn bad_clients(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let connect = || -> Result<UnixStream, Failed> {
        let stream = UnixStream::connect(sessions.socket("a"))?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        Ok(stream)
    };
    let answer = |text: &[u8]| -> Result<String, Failed> {
        let mut stream = connect()?;
        stream.write_all(text)?;
        let mut answer = vec![0; 4096];
        let length = stream.read(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..length]).into_owned())
    };
    for (text, wanted) in [
        (&b"{\"version\":7,\"body\":{\"request\":\"stop\"}}\n"[..], "the client version 7"),
        (b"stop\n", "not a request of the control protocol"),
        (b"\n", "not a request of the control protocol"),
        (&[b'x'; 16 << 10], "a request has less than 16384 bytes"),
    ] {
        let answer = answer(text)?;
        if !answer.contains(wanted) {
            return Err(format!("{answer}, expected {wanted}").into());
        }
    }
    // Those that say nothing, say half, do not read, or go away at once.
    let mut silent: Vec<UnixStream> = Vec::new();
    for number in 0..100 {
        let mut stream = connect()?;
        match number % 4 {
            0 => silent.push(stream),
            1 => {
                stream.write_all(b"{\"version\":1,")?;
                silent.push(stream);
            }
            2 => {
                // The session may have left it already.
                let _ =
                    stream.write_all(&b"{\"version\":1,\"body\":{\"request\":\"status\"}}\n".repeat(1000));
                silent.push(stream);
            }
            _ => drop(stream),
        }
    }
    ask(FIRST);
    sessions.until_written(1)?;
    sessions.run(&["status"])?.expect_status(0)?;
    drop(silent);
    sessions
        .run(&["stop"])?
        .expect_status(0)?
        .expect_stderr("1 record, nothing lost, ended by `tracec stop`")?;
    same(&sessions.asked("a.jsonl")?, &vec![i64::from(FIRST)])?;
    // A session of another version is not asked at all.
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let card = sessions.runtime_dir().join("started/a.session");
    let text = std::fs::read_to_string(&card)?;
    std::fs::write(&card, text.replace("\"version\":1", "\"version\":7"))?;
    sessions
        .run(&["stop"])?
        .expect_status(1)?
        .expect_stderr("of version 7 of the control protocol, this is 1")?;
    std::fs::write(&card, text)?;
    sessions.run(&["stop"])?.expect_status(0)?;
    sessions.nothing_is_left()
}

/// The kernel does not remove an instance whose rings somebody reads.
fn instance_is_removed(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(ASKED, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    let instance =
        bench.tracefs.join("instances").join(sessions.status()?["instance"].as_str().ok_or("no instance")?);
    let removed = std::fs::remove_dir(&instance);
    same(&removed.map_err(|error| error.raw_os_error()), &Err(Some(libc::EBUSY)))?;
    ask(FIRST);
    sessions.until_written(1)?;
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("1 record, nothing lost")?;
    sessions.nothing_is_left()
}

fn commands(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let missing = sessions.start(ASKED, "a.jsonl", &["--name", "a", "--", "/no/such/program"])?;
    missing.expect_status(1)?.expect_stderr("cannot start `/no/such/program`")?;
    sessions.nothing_is_left()?;
    let at_once = sessions.start(ASKED, "a.jsonl", &["--name", "a", "--", "true"])?;
    at_once.expect_status(0)?;
    until("the session does not end", || Ok(sessions.status()?["state"] == "ended"))?;
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("ended with its command (exit status: 0)")?;
    // It has no terminal, and does not keep that of the client.
    let script = format!(
        "echo said; of() {{ readlink /proc/$$/fd/$1; }}; all=\"$(of 0) $(of 1) $(of 2)\"; echo $all > {}; \
         kill -0 {FIRST}; sleep 1000",
        sessions.path("streams").display()
    );
    let started = sessions.start(ASKED, "a.jsonl", &["--name", "a", "--", "sh", "-c", &script])?;
    started.expect_status(0)?;
    sessions.until_written(1)?;
    let streams = std::fs::read_to_string(sessions.path("streams"))?;
    same(&streams, &"/dev/null /dev/null /dev/null\n".to_owned())?;
    // As after Ctrl-C, the command is asked to end.
    let stopped = sessions.run(&["stop"])?;
    stopped.expect_status(143)?.expect_stderr("ended by `tracec stop`")?;
    sessions.nothing_is_left()
}

/// Sessions at once, and how often.
const AT_ONCE: usize = 20;
const ROUNDS: usize = 10;

fn twenty_at_once(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let instances = || -> Result<usize, Failed> {
        let entries = std::fs::read_dir(bench.tracefs.join("instances"))?;
        let names = entries.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        let names: Vec<String> = names.collect::<Result<_, Failed>>()?;
        Ok(names.iter().filter(|name| name.starts_with("tracec.twenty.")).count())
    };
    let file = sessions.path("twenty.trc");
    std::fs::write(&file, format!("session twenty {{ {ASKED} }}"))?;
    let rounds: Vec<usize> = (0..ROUNDS).collect();
    for round in Points::chosen()?.of(&rounds, "rounds of twenty started sessions") {
        let names: Vec<String> = (0..AT_ONCE).map(|number| format!("s{number}")).collect();
        let all = |subcommand: &str| -> Result<(), Failed> {
            let commands = names.iter().map(|name| {
                let output = sessions.path(&format!("{name}.jsonl"));
                let mut command = match subcommand {
                    "start" => {
                        let mut command = sessions.command(&["start", "--name", name, "-o"]);
                        command.arg(output).arg(&file);
                        command
                    }
                    _ => sessions.command(&[subcommand, name]),
                };
                command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()
            });
            let running: Vec<Child> = commands.collect::<Result<_, _>>()?;
            for child in running {
                let output = child.wait_with_output()?;
                if !output.status.success() {
                    let said = String::from_utf8_lossy(&output.stderr).into_owned();
                    return Err(format!("round {round}: {subcommand}: {said}").into());
                }
            }
            Ok(())
        };
        all("start")?;
        same(&instances()?, &AT_ONCE)?;
        ask(FIRST);
        all("stop")?;
        same(&instances()?, &0)?;
        for name in &names {
            same(&sessions.asked(&format!("{name}.jsonl"))?, &vec![i64::from(FIRST)])?;
        }
        sessions.nothing_is_left().map_err(|error| format!("round {round}: {error:?}"))?;
    }
    Ok(())
}
