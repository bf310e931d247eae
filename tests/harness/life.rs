//! The life of a session: what starts its recording, and what ends it.
//!
//! The load asks with kill(2) for processes that do not exist; their numbers say what was asked.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use serde_json::Value;

use super::bench::{Bench, Finished, Running, TIMEOUT, finish, start};
use super::points::Points;
use super::scopes::{Outside, ask, file, session};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("stop on an event, which is the last record", stop_on_event),
        bench.trial("stop on the third event", stop_on_third),
        bench.trial("stop on an event by a condition of the host", stop_by_host),
        bench.trial("stop on an event that is not recorded", stop_on_another),
        bench.trial("stop on an event, into a trace.dat file", stop_in_file),
        bench.trial("stop on an event that never comes, among many that are seen", stop_never),
        bench.trial("stop on an event, while other tasks record", stop_among_others),
        bench.trial("stop on an event of the scope only", stop_in_scope),
        bench.trial("stop on a signal that ends no other session", stop_on_signal),
        bench.trial("stop with a process", stop_with_process),
        bench.trial("start paused", start_paused),
        bench.trial("keep a time after the event", keep_after),
        bench.trial("markers are records", markers),
        bench.trial("ring keeps the newest records", ring_of_newest),
        bench.trial("ring of the last milliseconds before an event", ring_before_event),
        bench.trial("ring into a trace.dat file", ring_in_file),
        bench.trial("value that another session has set otherwise is refused", value_taken),
        bench.trial("number of remembered names is set, and put back", cmdlines),
        bench.trial("twenty sessions at once share a value, and leave nothing", twenty_at_once),
    ]
}

const BEFORE: i32 = 1_900_000_001;
const LAST: i32 = 1_900_000_002;
const BEHIND: i32 = 1_900_000_003;

/// Records what is asked of these numbers: other tasks ask too.
const ASKED: &str = "trace syscalls:sys_enter_kill if pid in {1900000001..=1900000009};";

/// A session that is armed.
fn armed(bench: &Bench, clauses: &str, output: &[&str]) -> Result<Running, Failed> {
    let file = file(&session(&format!("marker \"armed\"; {clauses}")))?;
    let mut command = bench.tracec("run");
    command.args(["--json"]).args(output).arg(file.path());
    let mut running = start(command)?;
    running.until("armed", TIMEOUT)?;
    Ok(running)
}

/// Returns what was asked, in the order of the output.
fn asked(finished: &Finished) -> Result<Vec<i64>, Failed> {
    let records = finished.stdout.lines().filter(|line| line.starts_with('{'));
    let records: Vec<Value> = records.map(serde_json::from_str).collect::<Result<_, _>>()?;
    let kills = records.iter().filter(|record| record["event"] == "syscalls:sys_enter_kill");
    Ok(kills.map(|record| record["fields"]["pid"].as_i64().unwrap_or(-1)).collect())
}

fn expect(finished: &Finished, numbers: &[i32], end: &str) -> Result<(), Failed> {
    finished.expect_status(0)?.expect_stderr("nothing lost")?.expect_stderr(end)?;
    let found = asked(finished)?;
    match found == numbers.iter().copied().map(i64::from).collect::<Vec<_>>() {
        true => Ok(()),
        false => Err(format!("asked: {found:?}, expected: {numbers:?}\n{finished}").into()),
    }
}

fn stop_on_event(bench: &Bench) -> Result<(), Failed> {
    for end in [
        format!("syscalls:sys_enter_kill if pid == {LAST}"),
        format!("{{ sched:sched_process_exit, syscalls:sys_enter_kill }} if pid == {LAST}"),
    ] {
        let running = armed(bench, &format!("stop on {end}; {ASKED}"), &[])?;
        [BEFORE, LAST, BEHIND].into_iter().for_each(ask);
        expect(&running.wait(TIMEOUT)?, &[BEFORE, LAST], "ended by ")?;
    }
    Ok(())
}

fn stop_on_third(bench: &Bench) -> Result<(), Failed> {
    let end = format!("stop on syscalls:sys_enter_kill if pid == {LAST} count 3; {ASKED}");
    let running = armed(bench, &end, &[])?;
    let numbers = [LAST, BEFORE, LAST, LAST];
    numbers.into_iter().chain([BEHIND]).for_each(ask);
    expect(&running.wait(TIMEOUT)?, &numbers, "ended by syscalls:sys_enter_kill")
}

fn stop_by_host(bench: &Bench) -> Result<(), Failed> {
    let running =
        armed(bench, &format!("stop on syscalls:sys_enter_kill if pid * 2 == {LAST} * 2; {ASKED}"), &[])?;
    [BEFORE, LAST, BEHIND].into_iter().for_each(ask);
    expect(&running.wait(TIMEOUT)?, &[BEFORE, LAST], "ended by syscalls:sys_enter_kill")
}

fn stop_on_another(bench: &Bench) -> Result<(), Failed> {
    let own = rustix::thread::gettid().as_raw_nonzero();
    let clauses = format!("stop on syscalls:sys_exit_kill if ret == -3 && current.pid == {own}; {ASKED}");
    let running = armed(bench, &clauses, &[])?;
    ask(BEFORE);
    expect(&running.wait(TIMEOUT)?, &[BEFORE], "ended by syscalls:sys_exit_kill")
}

/// A condition of the host that no record meets, at an event that comes all the time.
fn stop_never(bench: &Bench) -> Result<(), Failed> {
    let end = format!("stop on syscalls:sys_enter_kill if pid * 2 == {LAST} * 2 + 8; stop after 300ms;");
    for clauses in [format!("{end} {ASKED}"), format!("ring; {end} {ASKED}")] {
        let file = file(&session(&clauses))?;
        let mut command = bench.tracec("run");
        command.arg("--json").arg(file.path());
        let outside = Outside::start();
        let finished = finish(command, TIMEOUT)?;
        drop(outside);
        expect(&finished, &[], ", nothing lost, ended after 300 ms")?;
        if finished.stderr.contains("written") {
            return Err(finished.to_string().into());
        }
    }
    Ok(())
}

fn stop_in_file(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("kills.dat");
    let file = file(&session(&format!(
        "output \"{}\"; stop on syscalls:sys_enter_kill if pid == {LAST}; {ASKED}",
        path.display()
    )))?;
    let mut command = bench.tracec("run");
    let script =
        format!("kill -0 {BEFORE}; kill -0 {LAST}; kill -0 {BEHIND}; exec sleep 1000 > /dev/null 2>&1");
    command.arg(file.path()).args(["--", "sh", "-c", &script]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("ended by syscalls:sys_enter_kill")?;
    let running = finished.stderr.rsplit_once("(pid ").and_then(|(_, rest)| rest.split(')').next());
    let pid = running.ok_or("the command does not run")?.parse::<i32>()?;
    rustix::process::kill_process(rustix::process::Pid::from_raw(pid).ok_or("no pid")?, Signal::KILL)?;
    let mut report = Command::new(&bench.tracec);
    report.args(["report", "--json"]).arg(&path);
    let report = finish(report, TIMEOUT)?;
    match asked(&report)?.as_slice() {
        [before, last] if (*before, *last) == (i64::from(BEFORE), i64::from(LAST)) => Ok(()),
        found => Err(format!("asked: {found:?}\n{report}").into()),
    }
}

/// What another CPU records past the event is left out: by time, nothing is behind it.
fn stop_among_others(bench: &Bench) -> Result<(), Failed> {
    for count in ["", " count 2"] {
        let end = format!("stop on syscalls:sys_enter_kill if pid == {LAST}{count}; {ASKED}");
        let running = armed(bench, &end, &[])?;
        let stop = Arc::<AtomicBool>::default();
        let until = Arc::clone(&stop);
        let others = std::thread::spawn(move || {
            while !until.load(Ordering::Relaxed) {
                ask(BEHIND);
            }
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        ask(LAST);
        ask(LAST);
        let finished = running.wait(TIMEOUT)?;
        stop.store(true, Ordering::Relaxed);
        others.join().map_err(|_| "a thread has panicked")?;
        finished.expect_status(0)?.expect_stderr("ended by syscalls:sys_enter_kill")?;
        let found = asked(&finished)?;
        let behind = found.iter().rev().take_while(|number| **number != i64::from(LAST)).count();
        // The event is recorded for the session first, and then for what it waits for: the other CPU may have recorded a
        // few between the two; many where one processor emulates both in turns.
        if behind > 500 || behind == found.len() {
            return Err(format!("{behind} records of {} are behind the event", found.len()).into());
        }
    }
    Ok(())
}

fn stop_in_scope(bench: &Bench) -> Result<(), Failed> {
    let clauses = format!(
        "scope command and children; stop on syscalls:sys_enter_kill if pid in {{{LAST}, 1999999999}}; {ASKED}"
    );
    let file = file(&session(&clauses))?;
    // From outside, this number is asked for all the time.
    let outside = Outside::start();
    for (script, numbers, end) in [
        (format!("kill -0 {BEFORE}; true"), &[BEFORE][..], "ended with its command"),
        (
            format!("(kill -0 {LAST}); exec sleep 1000 > /dev/null 2>&1"),
            &[LAST],
            "ended by syscalls:sys_enter_kill",
        ),
    ] {
        let mut command = bench.tracec("run");
        command.arg("--json").arg(file.path()).args(["--", "sh", "-c", &script]);
        let finished = finish(command, TIMEOUT)?;
        expect(&finished, numbers, end)?;
        if let Some((_, rest)) = finished.stderr.rsplit_once("(pid ") {
            let pid = rest.split(')').next().and_then(|pid| pid.parse().ok());
            let pid = pid.and_then(rustix::process::Pid::from_raw).ok_or("no pid")?;
            rustix::process::kill_process(pid, Signal::KILL)?;
        }
    }
    drop(outside);
    Ok(())
}

fn stop_on_signal(bench: &Bench) -> Result<(), Failed> {
    let running = armed(bench, &format!("stop on signal WINCH; {ASKED}"), &[])?;
    ask(BEFORE);
    running.signal(Signal::WINCH)?;
    expect(&running.wait(TIMEOUT)?, &[BEFORE], "ended by signal 28")?;
    // No other session ends with it.
    let running = armed(bench, ASKED, &[])?;
    running.signal(Signal::WINCH)?;
    ask(BEFORE);
    running.signal(Signal::INT)?;
    expect(&running.wait(TIMEOUT)?, &[BEFORE], "ended by signal 2")
}

fn stop_with_process(bench: &Bench) -> Result<(), Failed> {
    let mut process = Command::new("sleep").arg("1000").spawn()?;
    let running = armed(bench, &format!("stop with process {}; {ASKED}", process.id()), &[])?;
    ask(BEFORE);
    process.kill()?;
    process.wait()?;
    expect(&running.wait(TIMEOUT)?, &[BEFORE], &format!("ended with process {}", process.id()))
}

fn start_paused(bench: &Bench) -> Result<(), Failed> {
    let clauses = format!(
        "start paused; stop on syscalls:sys_enter_kill if pid == {BEHIND}; {ASKED} \
         on syscalls:sys_exit_kill if ret == -3 && current.comm == \"start-paused\" {{ trigger traceon; }}"
    );
    let file = file(&session(&clauses))?;
    let mut command = bench.tracec("run");
    let script = format!(
        "kill -0 {BEFORE}; printf start-paused > /proc/$$/comm; kill -0 {BEFORE}; kill -0 {LAST}; kill -0 {BEHIND}"
    );
    command.arg("--json").arg(file.path()).args(["--", "sh", "-c", &script]);
    let finished = finish(command, TIMEOUT)?;
    // The switch is on once the second call has returned.
    let found = asked(&finished)?;
    match found.first() == Some(&i64::from(LAST)) && found.len() <= 2 {
        true => Ok(()),
        false => Err(format!("asked: {found:?}\n{finished}").into()),
    }
}

fn markers(bench: &Bench) -> Result<(), Failed> {
    let file = file(&session(&format!("marker \"one\"; marker \"two words\"; {ASKED}")))?;
    let mut command = bench.tracec("run");
    command.arg("--json").arg(file.path()).args(["--", "true"]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?.expect_stdout("one")?.expect_stdout("two words")?;
    Ok(())
}

fn keep_after(bench: &Bench) -> Result<(), Failed> {
    let end = format!("stop on syscalls:sys_enter_kill if pid == {LAST}; keep 2s after;");
    let running = armed(bench, &format!("clock mono; {end} {ASKED}"), &[])?;
    [BEFORE, LAST, BEHIND].into_iter().for_each(ask);
    std::thread::sleep(std::time::Duration::from_millis(200));
    ask(BEFORE);
    let finished = running.wait(TIMEOUT)?;
    ask(BEHIND);
    expect(&finished, &[BEFORE, LAST, BEHIND, BEFORE], "ended by syscalls:sys_enter_kill after ")
}

/// Asks so often that a small ring does not hold it.
const MANY: usize = 20_000;

fn ask_often() {
    (0..MANY).for_each(|_| ask(BEFORE));
}

fn ring_of_newest(bench: &Bench) -> Result<(), Failed> {
    let running = armed_ring(bench, "ring", "", &[])?;
    ask_often();
    ask(LAST);
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("nothing lost")?.expect_stderr(" older ones overwritten)")?;
    finished.expect_stderr(" on every CPU (")?;
    are_newest(&asked(&finished)?, &finished)?;
    // What is covered falls short of what is asked for.
    let running = armed_ring(bench, "ring last 60s", "", &[])?;
    ask_often();
    ask(LAST);
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_stderr("less than the 60 s asked for: `buffer` is too small")?;
    are_newest(&asked(&finished)?, &finished)
}

fn ring_before_event(bench: &Bench) -> Result<(), Failed> {
    let end = format!("stop on syscalls:sys_enter_kill if pid == {LAST};");
    let running = armed_ring(bench, "ring last 300ms", &end, &[])?;
    ask(BEFORE);
    std::thread::sleep(std::time::Duration::from_millis(600));
    [BEHIND, LAST, BEFORE].into_iter().for_each(ask);
    expect(&running.wait(TIMEOUT)?, &[BEHIND, LAST], " of the last 300 ms, ")
}

fn ring_in_file(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("ring.dat");
    let path = path.to_str().ok_or("a path")?;
    let end = format!("stop on syscalls:sys_enter_kill if pid == {LAST};");
    let running = armed_ring(bench, "ring", &end, &["-o", path])?;
    ask_often();
    ask(LAST);
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?.expect_stderr("nothing lost")?.expect_stderr(" older ones overwritten)")?;
    let mut report = Command::new(&bench.tracec);
    report.args(["report", "--json", path]);
    are_newest(&asked(&finish(report, TIMEOUT)?)?, &finished)
}

/// Fails unless these are many of the last records, but not all.
fn are_newest(asked: &[i64], finished: &Finished) -> Result<(), Failed> {
    match asked.last() == Some(&i64::from(LAST)) && asked.len() > 100 && asked.len() < MANY {
        true => Ok(()),
        false => {
            Err(format!("{} records, the last {:?}\n{}", asked.len(), asked.last(), finished.stderr).into())
        }
    }
}

/// A session with a small ring that is armed: it has no output until it ends, so its switch is looked at.
fn armed_ring(bench: &Bench, ring: &str, clauses: &str, output: &[&str]) -> Result<Running, Failed> {
    let name = format!("tracec-ring-{}", std::process::id());
    let text = format!("instance \"{name}\"; clock mono; buffer 64KiB per cpu; {ring}; {clauses} {ASKED}");
    let file = file(&session(&text))?;
    let mut command = bench.tracec("run");
    if output.is_empty() {
        command.arg("--json");
    }
    command.args(output).arg(file.path());
    let running = start(command)?;
    let instance = bench.tracefs.join("instances").join(name);
    let is_on =
        |file: &str| std::fs::read_to_string(instance.join(file)).is_ok_and(|text| text.starts_with('1'));
    let begin = std::time::Instant::now();
    while !is_on("events/syscalls/sys_enter_kill/enable") || !is_on("tracing_on") {
        if begin.elapsed() > TIMEOUT {
            return Err("the session was not armed".into());
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    Ok(running)
}

fn value_taken(bench: &Bench) -> Result<(), Failed> {
    let runtime = tempfile::tempdir()?;
    let option = bench.tracefs.join("options/irq-info");
    let before = std::fs::read_to_string(&option)?;
    let was_on = before.trim() == "1";
    // The first session sets another value than the one that is there.
    let session = |other: bool, clauses: &str| {
        let mut command = bench.tracec("run");
        let value = if other == was_on { "on" } else { "off" };
        command.arg("--runtime-dir").arg(runtime.path().join("run")).arg("-e");
        command.arg(format!("global {{ option irq-info {value}; }} {clauses}"));
        command
    };
    let mut first = start(session(false, "marker \"armed\"; trace sched:sched_process_exec;"))?;
    first.until("armed", TIMEOUT)?;
    let refused = finish(session(true, "trace sched:sched_switch; stop after 1ms;"), TIMEOUT)?;
    let shared = finish(session(false, "trace sched:sched_switch; stop after 1ms;"), TIMEOUT)?;
    let shown = std::fs::read_to_string(&option)?;
    first.signal(Signal::INT)?;
    first.wait(TIMEOUT)?.expect_status(0)?;
    if shown == before || std::fs::read_to_string(&option)? != before {
        return Err(format!("the option was {before:?}, and {shown:?} meanwhile").into());
    }
    refused.expect_status(1)?.expect_stderr("[T0527]")?.expect_stderr("-e:1:10")?;
    shared.expect_status(0)?;
    Ok(())
}

/// The kernel rounds the number up to whole pages, from 6.8 on.
fn cmdlines(bench: &Bench) -> Result<(), Failed> {
    let file = bench.tracefs.join("saved_cmdlines_size");
    let before = std::fs::read_to_string(&file)?;
    let wanted = if before.trim() == "7000" { "9000" } else { "7000" };
    let mut command = bench.tracec("run");
    command.arg("-e").arg(format!(
        "global discarding {{ cmdlines {wanted}; }} marker \"armed\"; trace sched:sched_process_exec;"
    ));
    let mut running = start(command)?;
    running.until("armed", TIMEOUT)?;
    let shown = std::fs::read_to_string(&file)?;
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    let after = std::fs::read_to_string(&file)?;
    finished.expect_status(0)?;
    let number = shown.trim().parse::<u64>()?;
    if number < wanted.parse()? || shown == before || after != before {
        return Err(format!("it was {before:?}, {shown:?} meanwhile, and is {after:?}").into());
    }
    let said = format!("the kernel has rounded `/saved_cmdlines_size` to {number}, from {wanted}\n");
    match finished.stderr.contains(&said) == (shown.trim() != wanted) {
        true => Ok(()),
        false => Err(finished.to_string().into()),
    }
}

/// Sessions at once, and how often.
const AT_ONCE: usize = 20;
const ROUNDS: usize = 25;

fn twenty_at_once(bench: &Bench) -> Result<(), Failed> {
    let runtime = tempfile::tempdir()?;
    let directory = runtime.path().join("run");
    let option = bench.tracefs.join("options/annotate");
    let before = std::fs::read_to_string(&option)?;
    let other = if before.trim() == "0" { "on" } else { "off" };
    let text = format!(
        "global {{ option annotate {other}; }} trace sched:sched_process_exec; \
         stop on syscalls:sys_enter_kill if pid == {LAST}; stop after 10ms;"
    );
    let rounds: Vec<usize> = (0..ROUNDS).collect();
    for round in Points::chosen()?.of(&rounds, "rounds of twenty sessions") {
        let session = || {
            let mut command = bench.tracec("run");
            command.args(["--quiet", "--runtime-dir"]).arg(&directory).args(["-e", &text]);
            command.stdin(std::process::Stdio::null()).stdout(std::process::Stdio::null());
            command.stderr(std::process::Stdio::piped()).spawn()
        };
        let running: Vec<_> = (0..AT_ONCE).map(|_| session()).collect::<Result<_, _>>()?;
        let ended: Vec<_> =
            running.into_iter().map(std::process::Child::wait_with_output).collect::<Result<_, _>>()?;
        if let Some(failed) = ended.iter().find(|output| !output.status.success()) {
            return Err(format!("round {round}: {}", String::from_utf8_lossy(&failed.stderr)).into());
        }
        let (after, left) =
            (std::fs::read_to_string(&option)?, directory.read_dir().map_or(0, Iterator::count));
        if after != before || left > 0 {
            return Err(format!("round {round}: the option is {after:?}; {left} journals are left").into());
        }
    }
    Ok(())
}
