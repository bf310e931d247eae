//! Dumps: what a ring holds at an event, in files that are written while the session goes on.
//!
//! The load asks with kill(2) for processes that do not exist; their numbers say what was asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use serde_json::Value;

use super::bench::{Bench, Finished, Running, TIMEOUT, finish, start};
use super::scopes::{ask, file, session};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("dump at each of ten events, while a CPU overruns", ten_of_ten),
        bench.trial("dump at every third event, twice at most", every_third),
        bench.trial("dump of the time before an event, and the rest of the ring", rest_of_ring),
        bench.trial("dump whose event comes again and again", again_and_again),
        bench.trial("dump that a full disk takes nothing of", full_disk),
        bench.trial("dump into a directory that is not there", no_directory),
    ]
}

/// The first of the numbers that count on, and the most of them.
pub(crate) const FIRST: i32 = 1_000_000_000;
pub(crate) const EVENT: i32 = 1_900_000_002;
const OTHER: i32 = 1_900_000_003;

/// A session with a small ring that is armed, and writes its dumps here.
pub(crate) fn armed(bench: &Bench, ring: &str, clauses: &str, arguments: &[&str]) -> Result<Running, Failed> {
    let name = format!("tracec-dump-{}", std::process::id());
    let text = format!(
        "instance \"{name}\"; clock mono; buffer 1MiB per cpu; {ring}; {clauses} \
         trace syscalls:sys_enter_kill if pid >= {FIRST};"
    );
    let file = file(&session(&text))?;
    let mut command = bench.tracec("run");
    command.args(arguments).arg(file.path());
    let running = start(command)?;
    let instance = bench.tracefs.join("instances").join(name);
    let is_on =
        |file: &str| std::fs::read_to_string(instance.join(file)).is_ok_and(|text| text.starts_with('1'));
    until("the session is armed", || is_on("events/syscalls/sys_enter_kill/enable") && is_on("tracing_on"))?;
    Ok(running)
}

pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) -> Result<(), Failed> {
    let begin = Instant::now();
    while !is_so() {
        if begin.elapsed() > TIMEOUT {
            return Err(format!("waited in vain until {what}").into());
        }
        sleep(Duration::from_millis(2));
    }
    Ok(())
}

/// Waits for a dump, which has its name once it is complete.
fn written(path: &Path) -> Result<(), Failed> {
    until(&format!("{} is written", path.display()), || path.exists())
}

/// Returns the numbers that were asked for, in the order of their times.
pub(crate) fn asked(bench: &Bench, path: &Path) -> Result<Vec<i64>, Failed> {
    let mut report = Command::new(&bench.tracec);
    report.args(["report", "--json"]).arg(path);
    let report = finish(report, TIMEOUT)?;
    report.expect_status(0)?;
    numbers(&report.stdout)
}

pub(crate) fn numbers(lines: &str) -> Result<Vec<i64>, Failed> {
    let records = lines.lines().filter(|line| line.starts_with('{'));
    let records: Vec<Value> = records.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let kills = records.iter().filter(|record| record["event"] == "syscalls:sys_enter_kill");
    Ok(kills.map(|record| record["fields"]["pid"].as_i64().unwrap_or(-1)).collect())
}

/// Lets the calling thread run on one CPU only, if there are several. Returns those that it could run on.
pub(crate) fn pin(last: bool) -> Result<CpuSet, Failed> {
    let all = sched_getaffinity(None)?;
    let mut cpus = (0..CpuSet::MAX_CPU).filter(|cpu| all.is_set(*cpu));
    let chosen = if last { cpus.next_back() } else { cpus.next() };
    let mut one = CpuSet::new();
    one.set(chosen.ok_or("no CPU")?);
    sched_setaffinity(None, &one)?;
    Ok(all)
}

/// A load on one CPU that asks for numbers that count on.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Load {
    pub(crate) fn start() -> Load {
        let stop = Arc::<AtomicBool>::default();
        let until = Arc::clone(&stop);
        let thread = std::thread::spawn(move || {
            // Where it cannot be pinned, another CPU overruns.
            let _ = pin(true);
            let numbers = (FIRST..EVENT).take_while(|_| !until.load(Ordering::Relaxed));
            numbers.for_each(ask);
        });
        Load { stop, thread: Some(thread) }
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().map(std::thread::JoinHandle::join);
    }
}

const DUMPS: usize = 10;

fn ten_of_ten(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let path = |number: usize| directory.path().join(format!("d-{number}.dat"));
    let to = directory.path().join("d-{n}.dat");
    let clauses = format!("dump on syscalls:sys_enter_kill if pid == {EVENT} to \"{}\";", to.display());
    let running = armed(bench, "ring last 30s", &clauses, &[])?;
    let all = pin(false)?;
    let load = Load::start();
    for number in 1..=DUMPS {
        sleep(Duration::from_millis(150));
        ask(EVENT);
        written(&path(number))?;
    }
    drop(load);
    sched_setaffinity(None, &all)?;
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("10 dumps")?.expect_stderr("nothing lost")?;
    // Where the load gets little of the machine, the ring may hold all that it asks for between two events.
    let short = finished.stderr.matches(" of the 30 s: `buffer` is too small").count();
    if short < DUMPS / 2 || finished.stderr.contains("covers the last 30 s") {
        return Err(format!("{short} of {DUMPS} dumps fall short\n{finished}").into());
    }
    let mut last = i64::from(FIRST) - 1;
    for number in 1..=DUMPS {
        let found = asked(bench, &path(number))?;
        let wrong = |why: &str| Err(format!("dump {number}: {why}: {found:?}\n{finished}").into());
        let at = found.iter().position(|number| *number == i64::from(EVENT));
        let Some(at) = at else { return wrong("the event is missing") };
        // The event is recorded for the session first, and then for what it waits for: the other CPU may have recorded some
        // between the two.
        if found.iter().filter(|number| **number == i64::from(EVENT)).count() != 1 || found.len() - at > 500 {
            return wrong("the event is not the last");
        }
        let counted: Vec<i64> = found.iter().copied().filter(|number| *number != i64::from(EVENT)).collect();
        if counted.len() < 100 {
            return wrong("the load is missing");
        }
        // Records are missing at most between two dumps, where the ring was read.
        let gaps = counted.windows(2).filter(|pair| pair[0] + 1 != pair[1]).count();
        if gaps > 1 || counted.windows(2).any(|pair| pair[0] >= pair[1]) {
            return wrong("records are missing, or twice");
        }
        if counted[0] <= last {
            return wrong("it has records of the dump before");
        }
        last = counted.last().copied().unwrap_or(last);
    }
    Ok(())
}

fn every_third(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let to = directory.path().join("d-{n}.jsonl");
    let clauses = format!(
        "dump on syscalls:sys_enter_kill if pid * 2 == {EVENT} * 2 count 3 to \"{}\" max 2;",
        to.display()
    );
    let running = armed(bench, "ring", &clauses, &[])?;
    let mut expected = Vec::new();
    for number in 1..=3 {
        for numbers in [[OTHER, EVENT], [EVENT, OTHER], [OTHER, EVENT]] {
            numbers.into_iter().for_each(ask);
            expected.extend(numbers.map(i64::from));
        }
        if number <= 2 {
            written(&directory.path().join(format!("d-{number}.jsonl")))?;
        }
    }
    // The third one would come now.
    sleep(Duration::from_millis(100));
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("2 dumps, nothing lost")?;
    let names = names(directory.path())?;
    if names != ["d-1.jsonl", "d-2.jsonl"] {
        return Err(format!("the files are {names:?}\n{finished}").into());
    }
    for (number, expected) in expected.chunks(6).take(2).enumerate() {
        let text = std::fs::read_to_string(directory.path().join(format!("d-{}.jsonl", number + 1)))?;
        let found = numbers(&text)?;
        if found != expected {
            return Err(format!("dump {}: {found:?}, expected {expected:?}\n{finished}", number + 1).into());
        }
    }
    Ok(())
}

fn rest_of_ring(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let dump = directory.path().join("only.txt");
    let clauses =
        format!("dump on syscalls:sys_enter_kill if pid == {EVENT} to \"{}\" max 1;", dump.display());
    let running = armed(bench, "ring last 300ms", &clauses, &["--json"])?;
    ask(FIRST);
    sleep(Duration::from_millis(500));
    [FIRST + 1, EVENT].into_iter().for_each(ask);
    written(&dump)?;
    [FIRST + 2, EVENT, FIRST + 3].into_iter().for_each(ask);
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("1 dump, then 3 records")?.expect_stderr("nothing lost")?;
    finished.expect_stderr("2 records, covers the last 300 ms")?;
    let text = std::fs::read_to_string(&dump)?;
    let shown = |number: i32| text.contains(&format!("{number:x}"));
    let rest = numbers(&finished.stdout)?;
    if !shown(FIRST + 1) || !shown(EVENT) || shown(FIRST) || shown(FIRST + 2) {
        return Err(format!("the dump:\n{text}\n{finished}").into());
    }
    match rest == [FIRST + 2, EVENT, FIRST + 3].map(i64::from) {
        true => Ok(()),
        false => Err(format!("the rest: {rest:?}\n{finished}").into()),
    }
}

/// Every event makes a dump, or is counted because one is being written.
fn again_and_again(bench: &Bench) -> Result<(), Failed> {
    const EVENTS: usize = 300;
    let directory = tempfile::tempdir()?;
    let to = directory.path().join("d-{n}.dat");
    let clauses = format!("dump on syscalls:sys_enter_kill if pid == {EVENT} to \"{}\";", to.display());
    let running = armed(bench, "ring", &clauses, &[])?;
    (0..EVENTS).for_each(|_| ask(EVENT));
    written(&directory.path().join("d-1.dat"))?;
    sleep(Duration::from_millis(300));
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr(" more while one was written)")?;
    let number = |text: &str| text.replace(',', "").parse::<usize>().ok();
    let dumps = finished.stderr.split(" dump").next().and_then(|text| number(text.rsplit(' ').next()?));
    let missed = finished.stderr.split("came ").nth(1).and_then(|text| number(text.split(' ').next()?));
    let files = names(directory.path())?.len();
    match (dumps, missed) {
        (Some(dumps), Some(missed)) if dumps + missed == EVENTS && files == dumps => Ok(()),
        _ => Err(format!("{files} files\n{finished}").into()),
    }
}

fn names(directory: &Path) -> Result<Vec<String>, Failed> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// A file system of a few pages.
pub(crate) struct Small(PathBuf);

impl Small {
    pub(crate) fn mount(directory: &Path, size: &str) -> Result<Small, Failed> {
        let status = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tracec-small"])
            .arg(directory)
            .status()?;
        if status.success() { Ok(Small(directory.to_owned())) } else { Err("mount has failed".into()) }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // The directory is removed afterwards, which fails and shows it.
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

fn full_disk(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let small = Small::mount(directory.path(), "16k")?;
    let to = directory.path().join("d-{n}.dat");
    let clauses = format!("dump on syscalls:sys_enter_kill if pid == {EVENT} to \"{}\";", to.display());
    let running = armed(bench, "ring", &clauses, &["--json"])?;
    (0..1000).for_each(|number| ask(FIRST + number));
    ask(EVENT);
    // It is given up, and the session goes on.
    sleep(Duration::from_millis(500));
    ask(OTHER);
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("0 dumps, then 1 record")?.expect_stderr("[T0509]")?;
    finished.expect_stderr("d-1.dat was not written: No space left on device")?;
    let (left, rest) = (names(directory.path())?, numbers(&finished.stdout)?);
    drop(small);
    match left.is_empty() && rest == [i64::from(OTHER)] {
        true => Ok(()),
        false => Err(format!("left: {left:?}, the rest: {rest:?}\n{finished}").into()),
    }
}

fn no_directory(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let to = directory.path().join("missing/d-{n}.dat");
    let text = format!(
        "ring; dump on syscalls:sys_enter_kill to \"{}\"; trace syscalls:sys_enter_kill;",
        to.display()
    );
    let file = file(&session(&text))?;
    let mut command = bench.tracec("run");
    command.arg(file.path());
    let refused: Finished = finish(command, TIMEOUT)?;
    refused.expect_status(1)?.expect_stderr("[T0509]")?.expect_stderr("No such file or directory")?;
    Ok(())
}
