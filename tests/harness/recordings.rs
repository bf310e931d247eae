//! Sessions that record into trace.dat files: all records are in them, also for `trace-cmd report`, and a file can be read
//! while it is recorded and after SIGKILL.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use serde_json::Value;

use super::bench::{Bench, Finished, TIMEOUT, finish, start};

/// A shell command with so many system calls that a small ring loses some.
pub(crate) const STORM: &str = "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); echo; done > /dev/null";

/// System calls, in a ring of the usual size.
const CALLS: &str = "trace {raw_syscalls:sys_enter, raw_syscalls:sys_exit};";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("recordings: a file has what the kernel counted", |bench| counted(bench, "", false)),
        bench.trial("recordings: a file and what was lost are what the kernel counted", |bench| {
            counted(bench, "buffer 8KiB per cpu; ", true)
        }),
        bench.trial("recordings: a file with larger sub-buffers has what the kernel counted", subbuffers),
        bench.trial("recordings: the host's conditions decide what a file has", host_conditions),
        bench.trial("recordings: what a session hides is in no byte of a file", hidden),
        bench.trial("recordings: a report follows a file until it is complete", followed),
        bench.trial("recordings: a report goes on while its file is completed", completed),
        bench.trial("recordings: a file is readable after SIGKILL", killed),
        bench.trial("recordings: a file that cannot grow is readable", full),
        bench.trial("recordings: what is not a regular file is refused", other_files),
    ]
}

/// Runs a session into a file until its command ends.
fn record(bench: &Bench, file: &Path, text: &str, load: &str) -> Result<Finished, Failed> {
    let mut command = bench.tracec("run");
    command.arg("-o").arg(file).args(["-e", text, "--", "sh", "-c", load]);
    finish(command, TIMEOUT)
}

/// Runs a subcommand of tracec on a file, which has to work.
fn on_file(bench: &Bench, arguments: &[&str], file: &Path) -> Result<Finished, Failed> {
    let mut command = Command::new(&bench.tracec);
    command.args(arguments).arg(file);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?;
    Ok(finished)
}

/// Returns the records that tracec reads of a file.
fn records(bench: &Bench, file: &Path) -> Result<Vec<Value>, Failed> {
    let shown = on_file(bench, &["report", "--json"], file)?;
    let lines: Result<Vec<Value>, Failed> =
        shown.stdout.lines().map(|line| Ok(serde_json::from_str(line)?)).collect();
    // The others say that records were lost.
    Ok(lines?.into_iter().filter(|line| line["event"].is_string()).collect())
}

/// Returns the number of records that trace-cmd prints of a file; `None` if it is not installed.
pub(crate) fn peer(file: &Path) -> Result<Option<u64>, Failed> {
    let mut command = Command::new("trace-cmd");
    command.args(["report", "-i"]).arg(file);
    let Ok(output) = command.output() else { return Ok(None) };
    let (text, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    if !output.status.success() {
        return Err(format!("trace-cmd does not read it: {said}").into());
    }
    // Each record is a line with its CPU in brackets.
    Ok(Some(
        text.lines().filter(|line| line.contains(" [0") && !line.contains("EVENTS DROPPED")).count() as u64
    ))
}

/// Returns the sum of a count in the texts of `stats` that a file has.
pub(crate) fn counts(bench: &Bench, file: &Path, wanted: &[&str]) -> Result<u64, Failed> {
    let dump: Value = serde_json::from_str(&on_file(bench, &["dump", "--json"], file)?.stdout)?;
    let options = dump["options"].as_array().ok_or("no options")?;
    let stats: Vec<&str> = options
        .iter()
        .filter(|option| option["name"] == "CPUSTAT")
        .filter_map(|option| option["text"].as_str())
        .collect();
    if stats.is_empty() {
        return Err("the file has no counts".into());
    }
    let lines = stats.iter().flat_map(|text| text.lines()).filter_map(|line| line.split_once(": "));
    let of = lines.filter(|(name, _)| wanted.contains(name));
    Ok(of.filter_map(|(_, count)| count.trim().parse::<u64>().ok()).sum())
}

/// Returns the number of records in a summary: `-e: 1,234 records, ...`.
fn in_summary(said: &str) -> Result<u64, Failed> {
    let words: Vec<&str> = said.split_whitespace().collect();
    let at = words.iter().position(|word| word.starts_with("record")).ok_or("no summary")?;
    let number = at.checked_sub(1).and_then(|at| words.get(at)).ok_or("no number")?;
    Ok(number.replace(',', "").parse()?)
}

fn subbuffers(bench: &Bench) -> Result<(), Failed> {
    if !bench.has("buffer_subbuf_size_kb") {
        let refused = finish(in_session(bench, "subbuffer 16KiB; trace sched:sched_process_exec;"), TIMEOUT)?;
        refused.expect_status(1)?.expect_stderr("[T0332]")?.expect_stderr("subbuffer-size")?;
        return Ok(());
    }
    counted(bench, "subbuffer 64KiB; ", false)?;
    counted(bench, "subbuffer 8KiB; buffer 16KiB per cpu; ", true)
}

fn in_session(bench: &Bench, text: &str) -> Command {
    let mut command = bench.tracec("run");
    command.args(["-e", text, "--", "true"]);
    command
}

fn counted(bench: &Bench, clauses: &str, is_small: bool) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("x.dat");
    // A small ring overflows while tracec, which has started the command, is stopped.
    let load = if is_small {
        format!("{STORM}; kill -STOP $PPID; {STORM}; kill -CONT $PPID")
    } else {
        STORM.to_owned()
    };
    // A record that a filter of the kernel has discarded counts as read there.
    let finished = record(bench, &file, &format!("{clauses}scope including tracec; {CALLS}"), &load)?;
    finished.expect_status(0)?;
    let found = records(bench, &file)?;
    let number = found.len() as u64;
    let (read, left) = (counts(bench, &file, &["read events"])?, counts(bench, &file, &["entries"])?);
    let lost = counts(bench, &file, &["overrun", "commit overrun", "dropped events"])?;
    if number < 1000 || number != read || left != 0 || number != in_summary(&finished.stderr)? {
        return Err(
            format!("{number} records, the kernel has given {read} and kept {left}\n{finished}").into()
        );
    }
    if is_small != (lost > 0) {
        return Err(format!("{lost} lost: this proves nothing\n{finished}").into());
    }
    if let Some(other) = peer(&file)?
        && other != number
    {
        return Err(format!("{number} records, and trace-cmd prints {other}").into());
    }
    // The load is there by its name, which its end takes along.
    if !found.iter().any(|record| record["comm"] == "sh") {
        return Err("no task has the name of the load".into());
    }
    // The file has no holes any more: each CPU has less than a page of room.
    let dump: Value = serde_json::from_str(&on_file(bench, &["dump", "--json"], &file)?.stdout)?;
    let cpus = dump["buffers"][0]["cpus"].as_array().ok_or("no cpus")?;
    let pages: u64 = cpus.iter().filter_map(|cpu| cpu["bytes"].as_u64()).sum();
    let size = std::fs::metadata(&file)?.len();
    // kallsyms has most of the rest.
    if size < pages || size > pages + (64 << 20) {
        return Err(format!("{size} bytes for {pages} of pages").into());
    }
    Ok(())
}

/// Each record is shown once, in the order of time, whatever the file had when it was looked at.
fn followed(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("x.dat");
    let mut command = bench.tracec("run");
    let load = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); /bin/true; done";
    command.arg("-o").arg(&file).args(["-e", "trace {sched:sched_process_exec, sched:sched_process_exit};"]);
    command.args(["--", "sh", "-c", load]);
    let running = start(command)?;
    // A file that was begun has its head.
    let is_begun = || std::fs::metadata(&file).is_ok_and(|found| found.len() > 0);
    let end = Instant::now() + TIMEOUT;
    while !is_begun() && Instant::now() < end {
        std::thread::yield_now();
    }
    let mut follower = Command::new(&bench.tracec);
    follower.args(["report", "--follow", "--json"]).arg(&file);
    let shown = finish(follower, TIMEOUT)?;
    running.wait(TIMEOUT)?;
    shown.expect_status(0)?;
    // The names of tasks are at the end of the file, which the first looks do not have.
    let without_names = |text: &str| -> Result<Vec<Value>, Failed> {
        let lines = text.lines().map(serde_json::from_str::<Value>);
        let mut records = lines.collect::<Result<Vec<_>, _>>()?;
        records.iter_mut().for_each(|record| record["comm"] = Value::Null);
        Ok(records)
    };
    let whole = on_file(bench, &["report", "--json"], &file)?;
    let (shown_records, all) = (without_names(&shown.stdout)?, without_names(&whole.stdout)?);
    if all.len() < 6000 || shown_records != all {
        let numbers = (shown_records.len(), all.len());
        return Err(format!("{numbers:?} records were shown and are there\n{}", shown.stderr).into());
    }
    Ok(())
}

/// The path of a program is in the records of its start, behind the struct, and its text in the kernel's layout. With a
/// condition of the host, records are put into pages anew.
fn hidden(bench: &Bench) -> Result<(), Failed> {
    const SECRET: &str = "a-name-to-hide";
    let directory = tempfile::tempdir()?;
    let programs = directory.path().join(SECRET);
    std::fs::create_dir(&programs)?;
    let program = programs.join("true");
    std::fs::copy("/bin/true", &program)?;
    let load = format!("i=0; while [ $i -lt 50 ]; do i=$((i+1)); {}; done", program.display());
    for condition in ["", " if pid * 1 != 0"] {
        let session = |items: &str| format!("trace sched:sched_process_exec{condition} {{ {items} }}");
        let mut found = Vec::new();
        for items in ["", "redact filename;", "drop filename;", r#"drop filename; print "{pid} starts""#] {
            let file = directory.path().join("x.dat");
            record(bench, &file, &session(items), &load)?.expect_status(0)?;
            let bytes = std::fs::read(&file)?;
            let is_there = bytes.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
            if is_there != items.is_empty() {
                return Err(format!("`{items}`: the name is in the file: {is_there}").into());
            }
            let records = records(bench, &file)?;
            let names = records.iter().filter(|record| !record["fields"]["filename"].is_null()).count();
            let expected = if items.starts_with("drop") { 0 } else { records.len() };
            if records.len() < 50 || names != expected {
                return Err(format!("`{items}`: {names} names of {} records", records.len()).into());
            }
            if let Some(other) = peer(&file)?
                && other != records.len() as u64
            {
                return Err(
                    format!("`{items}`: {} records, and trace-cmd prints {other}", records.len()).into()
                );
            }
            found.push(on_file(bench, &["report"], &file)?.stdout);
        }
        let [whole, blanked, dropped, printed] = found.as_slice() else { return Err("four reports".into()) };
        let all = |text: &str, part: &str| text.lines().all(|line| line.contains(part));
        if !whole.contains(SECRET)
            || !all(blanked, "sched_process_exec: filename= pid=")
            || !all(dropped, "sched_process_exec: pid=")
            || !all(printed, " starts")
        {
            return Err(format!("{whole}\n{blanked}\n{dropped}\n{printed}").into());
        }
    }
    Ok(())
}

fn host_conditions(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (file, other) = (directory.path().join("x.dat"), directory.path().join("x.jsonl"));
    // Arithmetic is the host's. The same in both forms, each with the load's own number of signals.
    let text = "trace signal:signal_generate if sig % 5 == 0;";
    let load = "trap : 10 1; i=0; while [ $i -lt 50 ]; do kill -10 $$; kill -1 $$; i=$((i+1)); done";
    let of_load = |records: &[Value]| {
        let of = |sig: i64| records.iter().filter(|record| record["fields"]["sig"] == sig).count();
        (of(10), of(1))
    };
    record(bench, &file, text, load)?
        .expect_status(0)?
        .expect_stderr("dropped by the host's conditions, nothing lost")?;
    record(bench, &other, text, load)?.expect_status(0)?;
    let lines = std::fs::read_to_string(&other)?;
    let lines: Result<Vec<Value>, Failed> =
        lines.lines().map(|line| Ok(serde_json::from_str(line)?)).collect();
    let (pages, lines) = (records(bench, &file)?, lines?);
    // Other tasks may send a signal too.
    match (of_load(&pages), of_load(&lines)) {
        ((pages, 0), (lines, 0)) if pages >= 50 && lines >= 50 => Ok(()),
        (pages, lines) => Err(format!("{pages:?} in pages, {lines:?} as lines").into()),
    }
}

/// A session ends, and moves the pages of its file, while a report waits for its reader.
fn completed(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (file, gate) = (directory.path().join("x.dat"), directory.path().join("gate"));
    Command::new("mkfifo").arg(&gate).status()?;
    let mut command = bench.tracec("run");
    let load = format!("{STORM}; read line < {}", gate.display());
    command.arg("-o").arg(&file).args(["-e", CALLS, "--", "sh", "-c", &load]);
    let running = start(command)?;
    let begin = Instant::now();
    let seen = loop {
        match records(bench, &file) {
            Ok(found) if found.len() >= 30_000 => break found.len(),
            _ if begin.elapsed() > TIMEOUT => return Err("nothing is recorded".into()),
            _ => std::thread::yield_now(),
        }
    };
    let mut command = Command::new(&bench.tracec);
    command.args(["report", "--json", "--quiet"]).arg(&file).stdout(Stdio::piped());
    let mut report = command.spawn()?;
    let mut lines = BufReader::new(report.stdout.take().ok_or("no pipe")?).lines();
    let mut shown = vec![lines.next().ok_or("no line")??];
    std::fs::write(&gate, "\n")?;
    running.wait(TIMEOUT)?.expect_status(0)?;
    for line in lines {
        shown.push(line?);
    }
    if !report.wait()?.success() {
        return Err(format!("the report failed behind {} records", shown.len()).into());
    }
    let whole = on_file(bench, &["report", "--json"], &file)?.stdout;
    let (shown, whole) = (by_cpu(shown.iter().map(String::as_str))?, by_cpu(whole.lines())?);
    let count: usize = shown.values().map(Vec::len).sum();
    let is_begin = shown
        .iter()
        .all(|(cpu, shown)| whole.get(cpu).is_some_and(|whole| whole.get(..shown.len()) == Some(shown)));
    match count >= seen && is_begin {
        true => Ok(()),
        false => {
            Err(format!("{count} of {seen} records; those of each CPU are its first: {is_begin}").into())
        }
    }
}

/// Returns the records of each CPU, without the names of their threads: a file has those once it is complete.
fn by_cpu<'l>(lines: impl Iterator<Item = &'l str>) -> Result<BTreeMap<u64, Vec<Value>>, Failed> {
    let mut records: BTreeMap<u64, Vec<Value>> = BTreeMap::new();
    for line in lines {
        let mut record: Value = serde_json::from_str(line)?;
        record["comm"] = Value::Null;
        records.entry(record["cpu"].as_u64().ok_or("no cpu")?).or_default().push(record);
    }
    Ok(records)
}

fn killed(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (file, journals) = (directory.path().join("x.dat"), directory.path().join("run"));
    let mut command = bench.tracec("run");
    command.arg("--runtime-dir").arg(&journals).arg("-o").arg(&file).args(["-e", CALLS]);
    let running = start(command)?;
    let begin = Instant::now();
    // The machine makes system calls of its own, this test among them.
    let seen = loop {
        match records(bench, &file) {
            Ok(found) if found.len() >= 1000 => break found.len(),
            _ if begin.elapsed() > TIMEOUT => return Err("nothing is recorded".into()),
            _ => std::thread::yield_now(),
        }
    };
    running.signal(Signal::KILL)?;
    running.wait(Duration::from_secs(10))?;
    let mut command = bench.tracec("recover");
    command.arg("--runtime-dir").arg(&journals);
    finish(command, TIMEOUT)?.expect_status(0)?;
    let found = records(bench, &file)?.len();
    if found < seen {
        return Err(format!("{found} records are left of {seen}").into());
    }
    if let Some(other) = peer(&file)?
        && other != found as u64
    {
        return Err(format!("{found} records, and trace-cmd prints {other}").into());
    }
    let small = directory.path().join("y.dat");
    let mut command = Command::new(&bench.tracec);
    command.arg("convert").arg(&file).arg("-o").arg(&small);
    finish(command, TIMEOUT)?.expect_status(0)?;
    let size = std::fs::metadata(&small)?.len();
    match records(bench, &small)?.len() {
        converted if converted == found && size < 1 << 30 => Ok(()),
        converted => Err(format!("{converted} of {found} records in {size} bytes").into()),
    }
}

fn full(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("x.dat");
    // The limit is that of one file of this process: 8 MiB, in blocks of 512 bytes.
    let mut command = Command::new("sh");
    let script = "ulimit -f 16384; exec \"$0\" \"$@\"";
    command
        .args(["-c", script])
        .arg(&bench.tracec)
        .args(["run", "--tracefs"])
        .arg(&bench.tracefs)
        .arg("-o")
        .arg(&file);
    // Of each of many CPUs only a part of them fits: one that fills up ends the session.
    let load = "i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); echo; done > /dev/null";
    command.args(["-e", CALLS, "--", "sh", "-c", load]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("this file has no room for more")?;
    finished.expect_stderr(&format!("`tracec report {}` shows them", file.display()))?;
    let said =
        finished.stderr.split_once("about ").and_then(|(_, rest)| rest.split_once(" records were written"));
    let said: u64 = said.ok_or("no number of records")?.0.replace(',', "").parse()?;
    match records(bench, &file)?.len() as u64 {
        0..1000 => Err("the file has no records".into()),
        found if found.abs_diff(said) > found / 10 => Err(format!("{said} were said of {found}").into()),
        _ => Ok(()),
    }
}

fn other_files(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let link = directory.path().join("x.dat");
    std::os::unix::fs::symlink("/dev/null", &link)?;
    let refused = record(bench, &link, CALLS, ":")?;
    refused.expect_status(1)?.expect_stderr("a trace.dat file has to be a regular file")?;
    let refused = record(bench, &directory.path().join("x.xml"), CALLS, ":")?;
    refused.expect_status(64)?.expect_stderr("does not name an output form")?;
    Ok(())
}
