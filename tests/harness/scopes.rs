//! Scopes: of a load with actors inside and outside of each scope, exactly those inside are recorded, and fire triggers.
//!
//! An actor asks with kill(2) whether a process exists whose id no kernel assigns; that number says who has asked.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Barrier};
use std::thread::JoinHandle;

use libtest_mimic::{Failed, Trial};
use rustix::process::{Pid, test_kill_process};
use rustix::thread::{CpuSet, sched_setaffinity};
use serde_json::Value;

use super::bench::{Bench, Finished, TIMEOUT, finish, start};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("scope command and children", command_and_children),
        bench.trial("scope command", command_alone),
        bench.trial("scope command of another user", command_of_user),
        bench.trial("scope process and children", process_and_children),
        bench.trial("scope process", process_alone),
        bench.trial("scope thread", thread),
        bench.trial("scope comm", comm),
        bench.trial("scope cpus", cpus),
        bench.trial("scope of a fork storm", fork_storm),
        bench.trial("scope without its task is refused at its clause", refused),
    ]
}

/// The number of the first actor of a load; that of another is so much greater as its role says.
const FIRST: i32 = 2_000_000_000;
/// What is asked from outside, all the time.
const OUTSIDE: i32 = FIRST - 1;

/// The roles of a load.
const MAIN: i32 = 0;
const OLD_THREAD: i32 = 1;
const NEW_THREAD: i32 = 2;
const CHILD: i32 = 3;
const GRANDCHILD: i32 = 4;
const THREAD_OF_CHILD: i32 = 5;
const AFTER_EXEC: i32 = 6;
const ALL: [i32; 7] = [MAIN, OLD_THREAD, NEW_THREAD, CHILD, GRANDCHILD, THREAD_OF_CHILD, AFTER_EXEC];
const OF_PROCESS: [i32; 3] = [MAIN, OLD_THREAD, NEW_THREAD];

/// The variables of a load: its part, and whether it waits for a line.
const PART: &str = "TRACEC_TEST_LOAD";
const WAITS: &str = "TRACEC_TEST_LOAD_WAITS";

/// Asks whether a process exists.
pub(crate) fn ask(number: i32) {
    if let Some(pid) = Pid::from_raw(number) {
        // There is no such process.
        let _ = test_kill_process(pid);
    }
}

/// Acts as a load, if this process was started as one. Returns whether it was.
pub(crate) fn load() -> bool {
    let Ok(part) = std::env::var(PART) else { return false };
    match part.as_str() {
        "main" => load_main(),
        "child" => {
            ask(FIRST + CHILD);
            let thread = std::thread::spawn(|| ask(FIRST + THREAD_OF_CHILD));
            thread.join().expect("a thread that ends");
            run_part("grandchild");
        }
        "grandchild" => {
            ask(FIRST + GRANDCHILD);
            let error = exec("after-exec");
            panic!("{error}");
        }
        "after-exec" => ask(FIRST + AFTER_EXEC),
        other => panic!("there is no load {other:?}"),
    }
    true
}

fn load_main() {
    let waits = std::env::var_os(WAITS).is_some();
    let go = Arc::new(Barrier::new(2));
    let (say, said) = channel();
    let thread = {
        let go = Arc::clone(&go);
        std::thread::spawn(move || {
            say.send(rustix::thread::gettid()).expect("the main thread");
            go.wait();
            ask(FIRST + OLD_THREAD);
        })
    };
    let old = said.recv().expect("the id of the thread");
    if waits {
        println!("{}", old.as_raw_nonzero());
        std::io::stdin().lock().read_line(&mut String::new()).expect("a line");
    }
    ask(FIRST + MAIN);
    go.wait();
    thread.join().expect("a thread that ends");
    std::thread::spawn(|| ask(FIRST + NEW_THREAD)).join().expect("a thread that ends");
    run_part("child");
}

fn part(part: &str) -> Command {
    let mut command = Command::new("/proc/self/exe");
    command.env(PART, part).env_remove(WAITS);
    command
}

fn run_part(name: &str) {
    assert!(part(name).status().expect("a part of the load").success());
}

fn exec(name: &str) -> std::io::Error {
    std::os::unix::process::CommandExt::exec(&mut part(name))
}

/// A load that waits, with the id of its second thread.
struct Waiting {
    child: Child,
    thread: u32,
}

impl Waiting {
    fn start() -> Result<Self, Failed> {
        let mut command = part("main");
        command.env(WAITS, "1").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().ok_or("no output")?).read_line(&mut line)?;
        Ok(Waiting { child, thread: line.trim().parse()? })
    }

    fn act(mut self) -> Result<(), Failed> {
        self.child.stdin.as_mut().ok_or("no input")?.write_all(b"\n")?;
        match self.child.wait()?.success() {
            true => Ok(()),
            false => Err("the load has failed".into()),
        }
    }
}

/// A thread that asks from outside until it is dropped.
pub(crate) struct Outside {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Outside {
    pub(crate) fn start() -> Self {
        let stop = Arc::<AtomicBool>::default();
        let until = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            while !until.load(Ordering::Relaxed) {
                ask(OUTSIDE);
                std::thread::yield_now();
            }
        });
        Outside { stop, thread: Some(thread) }
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Returns how often each number was asked for, with the number of stacks under `-1`.
fn asked(output: &str) -> Result<BTreeMap<i32, usize>, Failed> {
    let mut counts = BTreeMap::new();
    for line in output.lines().filter(|line| line.starts_with('{')) {
        let record: Value = serde_json::from_str(line)?;
        let number = match record["event"].as_str() {
            Some("syscalls:sys_enter_kill") => record["fields"]["pid"].as_i64().unwrap_or(0),
            Some("ftrace:kernel_stack") => -1,
            _ => continue,
        };
        *counts.entry(number as u32 as i32).or_default() += 1;
    }
    Ok(counts)
}

/// Fails unless just these roles have asked, each once, and each with `stacks` stacks.
fn expect(finished: &Finished, roles: &[i32], stacks: usize) -> Result<(), Failed> {
    finished.expect_status(0)?.expect_stderr("nothing lost")?;
    let mut expected: BTreeMap<i32, usize> = roles.iter().map(|role| (FIRST + role, 1)).collect();
    if stacks > 0 {
        expected.insert(-1, stacks * roles.len());
    }
    let found = asked(&finished.stdout)?;
    match found == expected {
        true => Ok(()),
        false => Err(format!("asked: {found:?}, expected: {expected:?}\n{finished}").into()),
    }
}

const KILL: &str = "trace syscalls:sys_enter_kill;";
/// A trigger without a condition: the kernel fires it before it looks at its list of tasks.
const WITH_STACKS: &str = "trace syscalls:sys_enter_kill { trigger stacktrace; }";

/// Returns the text of a session.
pub(crate) fn session(clauses: &str) -> String {
    format!("session scoped {{ {clauses} }}")
}

/// Returns a file with the text of a session.
pub(crate) fn file(text: &str) -> Result<tempfile::NamedTempFile, Failed> {
    let mut file = tempfile::Builder::new().suffix(".trc").tempfile()?;
    file.write_all(text.as_bytes())?;
    Ok(file)
}

/// Runs the load as the command of a session.
fn of_command(bench: &Bench, clauses: &str) -> Result<Finished, Failed> {
    let file = file(&session(clauses))?;
    let mut command = bench.tracec("run");
    command.env(PART, "main").args(["--json".as_ref(), file.path().as_os_str()]).arg("--");
    command.arg(std::env::current_exe()?);
    let outside = Outside::start();
    let finished = finish(command, TIMEOUT)?;
    drop(outside);
    Ok(finished)
}

/// Lets a load that waits act while a session runs.
fn of_waiting(bench: &Bench, clauses: impl Fn(&Waiting) -> String) -> Result<Finished, Failed> {
    let load = Waiting::start()?;
    let file = file(&session(&clauses(&load)))?;
    let mut command = bench.tracec("run");
    command.args(["--json".as_ref(), file.path().as_os_str()]);
    let outside = Outside::start();
    let mut running = start(command)?;
    // The session's first record: the marker.
    running.until("armed", TIMEOUT)?;
    load.act()?;
    running.signal(rustix::process::Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    drop(outside);
    Ok(finished)
}

fn command_and_children(bench: &Bench) -> Result<(), Failed> {
    expect(&of_command(bench, &format!("scope command and children; {KILL}"))?, &ALL, 0)?;
    expect(&of_command(bench, &format!("scope command and children; {WITH_STACKS}"))?, &ALL, 1)
}

fn command_alone(bench: &Bench) -> Result<(), Failed> {
    expect(&of_command(bench, &format!("scope command; {KILL}"))?, &OF_PROCESS, 0)?;
    // What tells children from threads is shown only if it was asked for.
    let finished = of_command(bench, &format!("scope command; {KILL} trace task:task_newtask;"))?;
    expect(&finished, &OF_PROCESS, 0)?;
    let new_tasks = finished.stdout.matches("\"task:task_newtask\"").count();
    match new_tasks {
        // Two threads and a child.
        3 => Ok(()),
        other => Err(format!("{other} new tasks\n{finished}").into()),
    }
}

fn command_of_user(bench: &Bench) -> Result<(), Failed> {
    let file =
        file(&session("scope command and children; trace syscalls:sys_enter_kill if pid == 1900000001;"))?;
    let run = |user: &str, words: &[&str]| {
        let mut command = bench.tracec("run");
        command.args(["--json", "--user", user]).arg(file.path()).args(words);
        finish(command, TIMEOUT)
    };
    let script = "kill -0 1900000001; echo \"$(id -u):$(id -G):$HOME\"";
    let own = run("root", &["--", "sh", "-c", script])?;
    own.expect_status(0)?.expect_stdout("0:0")?.expect_stdout(":/root")?;
    let other = run("nobody", &["--", "sh", "-c", script])?;
    let users = std::fs::read_to_string("/etc/passwd")?;
    let nobody = users.lines().find_map(|line| line.strip_prefix("nobody:x:65534:65534:"));
    let home = nobody.and_then(|rest| rest.split(':').nth(1)).ok_or("no user `nobody`")?;
    other.expect_status(0)?.expect_stdout(&format!("65534:65534:{home}"))?;
    other.expect_stdout("\"event\":\"syscalls:sys_enter_kill\"")?;
    run("no-such-user", &["--", "true"])?
        .expect_status(64)?
        .expect_stderr("there is no user `no-such-user`")?;
    run("nobody", &[])?.expect_status(64)?.expect_stderr("`--user` is for a command")?;
    // What the user may not execute is an error of the command, and everything is put back.
    run("nobody", &["--", "/root"])?.expect_status(1)?.expect_stderr("cannot start `/root`")?;
    Ok(())
}

fn process_and_children(bench: &Bench) -> Result<(), Failed> {
    for (clauses, stacks) in [(KILL, 0), (WITH_STACKS, 1)] {
        let finished = of_waiting(bench, |load| {
            format!("marker \"armed\"; scope process {} and children; {clauses}", load.child.id())
        })?;
        expect(&finished, &ALL, stacks)?;
    }
    Ok(())
}

fn process_alone(bench: &Bench) -> Result<(), Failed> {
    let finished =
        of_waiting(bench, |load| format!("marker \"armed\"; scope process {}; {KILL}", load.child.id()))?;
    expect(&finished, &OF_PROCESS, 0)
}

fn thread(bench: &Bench) -> Result<(), Failed> {
    for (clauses, stacks) in [(KILL, 0), (WITH_STACKS, 1)] {
        let finished =
            of_waiting(bench, |load| format!("marker \"armed\"; scope thread {}; {clauses}", load.thread))?;
        expect(&finished, &[OLD_THREAD], stacks)?;
    }
    Ok(())
}

/// Runs shells with names: inside and outside of a scope of names.
fn comm(bench: &Bench) -> Result<(), Failed> {
    let script = format!(
        "name() {{ printf %s $1 > /proc/$$/comm; kill -0 $2 2> /dev/null; }}; \
         name scoped-a {}; name other {OUTSIDE}; name scoped-b {}; true",
        FIRST + MAIN,
        FIRST + CHILD
    );
    for (scope, stacks) in [("comm \"scoped-*\"", 0), ("comm \"scoped-a\", comm \"*-b\"", 1)] {
        let clauses = if stacks == 0 { KILL } else { WITH_STACKS };
        let file = file(&session(&format!("scope {scope}; {clauses}")))?;
        let mut command = bench.tracec("run");
        command.args(["--json".as_ref(), file.path().as_os_str()]).args(["--", "sh", "-c", &script]);
        expect(&finish(command, TIMEOUT)?, &[MAIN, CHILD], stacks)?;
    }
    Ok(())
}

fn cpus(bench: &Bench) -> Result<(), Failed> {
    let on = |cpu: usize, act: &(dyn Fn() + Sync)| -> Result<(), Failed> {
        let mut set = CpuSet::new();
        set.set(cpu);
        std::thread::scope(|scope| {
            let acting = scope.spawn(|| sched_setaffinity(None, &set).map(|()| act()));
            acting.join().map_err(|_| Failed::from("a thread has panicked"))?.map_err(Failed::from)
        })
    };
    if on(1, &|| ask(OUTSIDE)).is_err() {
        println!("SKIPPED scope cpus: there is one CPU");
        return Ok(());
    }
    for (clauses, stacks) in [(KILL, 0), (WITH_STACKS, 1)] {
        let file = file(&session(&format!("marker \"armed\"; scope cpus 1; {clauses}")))?;
        let mut command = bench.tracec("run");
        command.args(["--json".as_ref(), file.path().as_os_str()]);
        let mut running = start(command)?;
        running.until("armed", TIMEOUT)?;
        on(0, &|| ask(OUTSIDE))?;
        on(1, &|| ask(FIRST + MAIN))?;
        // The signal is a call of kill(2) too.
        let id = running.id().cast_signed();
        let interrupt = || {
            let pid = Pid::from_raw(id).expect("the id of a process");
            rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a session that runs");
        };
        on(0, &interrupt)?;
        expect(&running.wait(TIMEOUT)?, &[MAIN], stacks)?;
    }
    Ok(())
}

/// Each of many children that end at once is recorded.
fn fork_storm(bench: &Bench) -> Result<(), Failed> {
    const CHILDREN: usize = 300;
    let number = FIRST + CHILD;
    let script = format!(
        "i=0; while [ $i -lt {CHILDREN} ]; do (kill -0 {number} 2> /dev/null) & i=$((i+1)); done; wait; true"
    );
    let file = file(&session(&format!("scope command and children; {KILL}")))?;
    let mut command = bench.tracec("run");
    command.args(["--json".as_ref(), file.path().as_os_str()]).args(["--", "sh", "-c", &script]);
    let outside = Outside::start();
    let finished = finish(command, TIMEOUT)?;
    drop(outside);
    finished.expect_status(0)?.expect_stderr("nothing lost")?;
    let found = asked(&finished.stdout)?;
    match found == BTreeMap::from([(number, CHILDREN)]) {
        true => Ok(()),
        false => Err(format!("asked: {found:?} of {CHILDREN}\n{}", finished.stderr).into()),
    }
}

fn refused(bench: &Bench) -> Result<(), Failed> {
    // No kernel assigns this id, and no other session has it.
    let none = 4_194_303;
    for (clauses, said) in [
        (format!("scope process {none}; {KILL}"), format!("there is no process {none}")),
        (format!("scope thread {none}; {KILL}"), format!("there is no thread {none}")),
        (format!("stop with process {none}; {KILL}"), format!("there is no process {none}")),
        (format!("scope command; {KILL}"), "no command was given".to_owned()),
        (format!("scope cgroup \"a\"; {KILL}"), "`scope cgroup`".to_owned()),
        (format!("scope command; {WITH_STACKS}"), "a trigger in a scope without `and children`".to_owned()),
        (
            format!("scope command, comm \"x\" and children; {KILL}"),
            "a scope of names beside ids of tasks".to_owned(),
        ),
    ] {
        let file = file(&session(&clauses))?;
        let mut command = bench.tracec("run");
        command.arg(file.path());
        finish(command, TIMEOUT)?.expect_status(1)?.expect_stderr(&said)?;
    }
    let file = file(&session(&format!("scope process {none}; {KILL}")))?;
    let mut command = bench.tracec("run");
    command.arg(file.path());
    finish(command, TIMEOUT)?.expect_stderr("[T0526]")?.expect_stderr(".trc:1:24")?;
    Ok(())
}
