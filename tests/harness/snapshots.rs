//! Snapshots: what a ring holds when a client asks, or held when the trigger `snapshot` fired.
//!
//! The load asks with kill(2) for processes that do not exist; their numbers say what was asked.

use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use rustix::thread::sched_setaffinity;

use super::bench::{Bench, TIMEOUT, finish};
use super::dumps::{EVENT, FIRST, Load, armed, asked, numbers, pin};
use super::scopes::ask;
use super::started::{Sessions, same};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("snapshot for a client, and the rest of the ring", for_a_client),
        bench.trial("snapshots of a ring that overruns have each record once", under_load),
        bench.trial("snapshot that cannot be written takes nothing", refused),
        bench.trial("snapshot of a trigger, and the rest of the ring", of_trigger),
        bench.trial("snapshot of a trigger that does not fire", of_idle_trigger),
    ]
}

/// More records than the ring has room for.
const MANY: i32 = 60_000;

/// Records what is asked of these numbers: other tasks ask too.
const RING: &str =
    "ring; clock mono; buffer 1MiB per cpu; trace syscalls:sys_enter_kill if pid >= 1000000000;";

fn listed(numbers: &[i32]) -> Vec<i64> {
    numbers.iter().copied().map(i64::from).collect()
}

fn for_a_client(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    sessions.start(RING, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    [FIRST, FIRST + 1].into_iter().for_each(ask);
    let taken = sessions.run(&["snapshot"])?;
    taken.expect_status(0)?.expect_stdout("a-snapshot-1.jsonl: 2 records, covers all ")?;
    same(&sessions.asked("a-snapshot-1.jsonl")?, &listed(&[FIRST, FIRST + 1]))?;
    same(&sessions.status()?["records"].as_u64(), &Some(0))?;
    ask(FIRST + 2);
    let other = sessions.path("b.dat");
    let taken = sessions.run(&["snapshot", "a", "-o", other.to_str().ok_or("a path")?])?;
    taken.expect_status(0)?.expect_stdout("b.dat: 1 record, covers the ")?;
    same(&asked(bench, &other)?, &listed(&[FIRST + 2]))?;
    ask(FIRST + 3);
    let stopped = sessions.run(&["stop"])?;
    stopped.expect_status(0)?.expect_stderr("1 record since the last snapshot, nothing lost")?;
    stopped.expect_stderr("b.dat: 1 record, covers the ")?;
    let is_off = stopped.stderr.contains("recording was off");
    same(&is_off, &!bench.has("snapshot"))?;
    same(&sessions.asked("a.jsonl")?, &listed(&[FIRST + 3]))?;
    sessions.nothing_is_left()
}

fn under_load(bench: &Bench) -> Result<(), Failed> {
    const SNAPSHOTS: usize = 5;
    let sessions = Sessions::new(bench)?;
    sessions.start(RING, "a.dat", &["--name", "a"])?.expect_status(0)?;
    let load = Load::start();
    for _ in 0..SNAPSHOTS {
        sleep(Duration::from_millis(200));
        sessions.run(&["snapshot"])?.expect_status(0)?;
    }
    drop(load);
    sessions.run(&["stop"])?.expect_status(0)?.expect_stderr("nothing lost")?;
    let mut last = 0;
    for number in 1..=SNAPSHOTS + 1 {
        let path = match number {
            number if number <= SNAPSHOTS => sessions.path(&format!("a-snapshot-{number}.dat")),
            _ => sessions.path("a.dat"),
        };
        let found = asked(bench, &path)?;
        let (Some(first), Some(newest)) = (found.first(), found.last()) else {
            return Err(format!("{} has no records", path.display()).into());
        };
        if *first <= last || found.windows(2).any(|pair| pair[0] + 1 != pair[1]) {
            return Err(format!("{} is not in order: {found:?}", path.display()).into());
        }
        last = *newest;
    }
    sessions.nothing_is_left()
}

fn refused(bench: &Bench) -> Result<(), Failed> {
    let sessions = Sessions::new(bench)?;
    let streamed = "trace syscalls:sys_enter_kill if pid >= 1000000000;";
    sessions.start(streamed, "s.jsonl", &["--name", "s"])?.expect_status(0)?;
    sessions.run(&["snapshot", "s"])?.expect_status(1)?.expect_stderr("is for a session with `ring`")?;
    sessions.run(&["stop"])?.expect_status(0)?;
    sessions.start(RING, "a.jsonl", &["--name", "a"])?.expect_status(0)?;
    ask(FIRST);
    sessions
        .run(&["snapshot", "-o", "x.odt"])?
        .expect_status(64)?
        .expect_stderr("does not name an output form")?;
    let missing = sessions.path("missing/x.dat");
    let missing = missing.to_str().ok_or("a path")?;
    sessions
        .run(&["snapshot", "-o", missing])?
        .expect_status(1)?
        .expect_stderr("No such file or directory")?;
    let stopped = sessions.run(&["stop"])?;
    stopped.expect_status(0)?.expect_stderr("1 record since it began, nothing lost")?;
    same(&sessions.asked("a.jsonl")?, &listed(&[FIRST]))?;
    sessions.nothing_is_left()
}

/// Returns the trigger, and whether the kernel has it. One without is refused before anything is applied.
fn trigger(bench: &Bench) -> Result<Option<String>, Failed> {
    let trigger = format!("on syscalls:sys_enter_kill if pid == {EVENT} {{ trigger snapshot once; }}");
    if bench.has("snapshot") {
        return Ok(Some(trigger));
    }
    let mut check = bench.tracec("check");
    check.args(["-e", &format!("{RING} {trigger}")]);
    let checked = finish(check, TIMEOUT)?;
    checked.expect_status(1)?.expect_stderr("[T0107]")?.expect_stderr("CONFIG_TRACER_SNAPSHOT")?;
    checked.expect_stderr("dump on EVENT")?;
    Ok(None)
}

fn of_trigger(bench: &Bench) -> Result<(), Failed> {
    let Some(trigger) = trigger(bench)? else { return Ok(()) };
    let directory = tempfile::tempdir()?;
    let output = directory.path().join("a.dat");
    let running = armed(bench, "ring", &trigger, &["-o", output.to_str().ok_or("a path")?])?;
    // The ring overruns before the event and after it.
    let many = |from: i32| (from..from + MANY).for_each(ask);
    // On several CPUs the oldest records of one stay while another overruns.
    let all = pin(false)?;
    many(FIRST);
    [EVENT, EVENT].into_iter().for_each(ask);
    many(FIRST + 100_000);
    sched_setaffinity(None, &all)?;
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("a-snapshot.dat: ")?.expect_stderr("nothing lost")?;
    let mut before = asked(bench, &directory.path().join("a-snapshot.dat"))?;
    // The record of an event with a condition has its place in the ring before the trigger fires.
    same(&before.pop(), &Some(i64::from(EVENT)))?;
    let rest = asked(bench, &output)?;
    for (found, newest) in [(before, FIRST + MANY - 1), (rest, FIRST + 100_000 + MANY - 1)] {
        let is_all = found.len() == usize::try_from(MANY)?;
        if found.last() != Some(&i64::from(newest)) || !is_row(&found) || found.len() < 1000 || is_all {
            let (first, last) = (found.first(), found.last());
            return Err(format!("{} records from {first:?} to {last:?}\n{finished}", found.len()).into());
        }
    }
    Ok(())
}

/// Returns whether numbers count on without a gap.
fn is_row(numbers: &[i64]) -> bool {
    numbers.windows(2).all(|pair| pair[0] + 1 == pair[1])
}

fn of_idle_trigger(bench: &Bench) -> Result<(), Failed> {
    let Some(trigger) = trigger(bench)? else { return Ok(()) };
    let directory = tempfile::tempdir()?;
    let output = directory.path().join("a.jsonl");
    let running = armed(bench, "ring", &trigger, &["-o", output.to_str().ok_or("a path")?])?;
    ask(FIRST);
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("the snapshot is empty")?;
    let left = |file: &str| Path::new(&directory.path().join(file)).exists();
    same(&left("a-snapshot.jsonl"), &false)?;
    same(&numbers(&std::fs::read_to_string(&output)?)?, &listed(&[FIRST]))
}
