//! Outputs that are rotated: each record is in one of the files, once, and each file is whole.
//!
//! The load asks with kill(2) for processes that do not exist; their numbers say what was asked.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use libtest_mimic::{Failed, Trial};
use rustix::process::Signal;
use serde_json::Value;

use super::bench::{Bench, Finished, Running, TIMEOUT, finish, start};
use super::dumps::{Small, numbers, until};
use super::recordings::{STORM, counts, peer};
use super::scopes::{ask, file, session};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        bench.trial("rotate: each record is in one of the trace.dat files", |bench| once(bench, "dat")),
        bench.trial("rotate: each record is in one of the files of JSON lines", |bench| once(bench, "jsonl")),
        bench.trial("rotate: each record is in one of the files of text", |bench| once(bench, "txt")),
        bench.trial("rotate: files and what was lost are what the kernel counted", lossy),
        bench.trial("rotate: the newest files are kept", newest),
        bench.trial("rotate: what has the name of the next file is named", taken),
        bench.trial("rotate: files on a full disk are whole", full_disk),
        bench.trial("rotate: a started session", started),
        bench.trial("rotate: a session without a file is refused", without_a_file),
    ]
}

/// The numbers that are asked for, by two threads.
const FIRST: i32 = 1_000_000_000;
const ASKED: i32 = 20_000;

fn clauses(name: &str, rotate: &str) -> String {
    format!("instance \"{name}\"; {rotate} trace syscalls:sys_enter_kill if pid >= {FIRST};")
}

fn own_name() -> String {
    format!("tracec-rotate-{}", std::process::id())
}

fn is_armed(bench: &Bench, name: &str) -> Result<(), Failed> {
    let instance = bench.tracefs.join("instances").join(name);
    let is_on =
        |file: &str| std::fs::read_to_string(instance.join(file)).is_ok_and(|text| text.starts_with('1'));
    until("the session is armed", || is_on("events/syscalls/sys_enter_kill/enable") && is_on("tracing_on"))
}

/// A session that is armed, and rotates its output.
fn armed(bench: &Bench, output: &Path, rotate: &str) -> Result<Running, Failed> {
    let name = own_name();
    let text = format!("output \"{}\"; {}", output.display(), clauses(&name, rotate));
    let file = file(&session(&text))?;
    let mut command = bench.tracec("run");
    command.arg(file.path());
    let running = start(command)?;
    is_armed(bench, &name)?;
    Ok(running)
}

/// Asks for all numbers, one half in another thread. A file is closed between two readings of the rings: what is asked at
/// once is in one file.
fn ask_all() {
    let half = |first: i32| {
        for number in first..first + ASKED / 2 {
            ask(number);
            if number % 250 == 0 {
                sleep(Duration::from_millis(6));
            }
        }
    };
    let second = std::thread::spawn(move || half(FIRST + ASKED / 2));
    half(FIRST);
    // It does not panic.
    let _ = second.join();
}

/// Returns the paths of the files of an output that are there, each with its number, in their order.
fn files(directory: &Path, ending: &str) -> Result<Vec<(u64, PathBuf)>, Failed> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).ok_or("no name")?.to_owned();
        let number = name.strip_prefix("x-").and_then(|name| name.strip_suffix(ending)?.strip_suffix('.'));
        let number = number.ok_or_else(|| format!("{name} is not a file of the session"))?;
        found.push((number.parse()?, path));
    }
    found.sort();
    Ok(found)
}

/// Returns the numbers that a file has.
fn asked(bench: &Bench, path: &Path) -> Result<Vec<i64>, Failed> {
    let text = match path.extension().and_then(|ending| ending.to_str()) {
        Some("dat") => {
            let mut report = Command::new(&bench.tracec);
            report.args(["report", "--json"]).arg(path);
            let report = finish(report, TIMEOUT)?;
            report.expect_status(0)?;
            report.stdout
        }
        _ => std::fs::read_to_string(path)?,
    };
    if path.extension().is_some_and(|ending| ending == "txt") {
        let pids = text.lines().filter_map(|line| line.split_once("pid: ")?.1.split([',', ')']).next());
        return pids.map(|pid| Ok(i64::from_str_radix(pid.trim().trim_start_matches("0x"), 16)?)).collect();
    }
    numbers(&text)
}

/// Checks that all numbers are in the files, each once, and that each file but the last has its size.
fn all_are_there(bench: &Bench, directory: &Path, ending: &str, size: u64) -> Result<usize, Failed> {
    let files = files(directory, ending)?;
    let mut all = Vec::new();
    for (at, (number, path)) in files.iter().enumerate() {
        let found = asked(bench, path)?;
        if *number != at as u64 + 1 || (found.is_empty() && at + 1 < files.len()) {
            return Err(format!("{}: {} records", path.display(), found.len()).into());
        }
        if at + 1 < files.len() && std::fs::metadata(path)?.len() < size {
            return Err(format!("{} is shorter than {size} bytes", path.display()).into());
        }
        if ending == "dat"
            && let Some(other) = peer(path)?
            && other != found.len() as u64
        {
            return Err(
                format!("{}: {} records, and {other} by trace-cmd", path.display(), found.len()).into()
            );
        }
        all.extend(found);
    }
    all.sort_unstable();
    let expected = (FIRST..FIRST + ASKED).map(i64::from);
    match all.iter().copied().eq(expected) {
        true => Ok(files.len()),
        false => Err(format!("{} records of {ASKED} in {} files", all.len(), files.len()).into()),
    }
}

fn once(bench: &Bench, ending: &str) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    // What is there before is overwritten, as an output is.
    std::fs::write(directory.path().join(format!("x-2.{ending}")), "an older one\n".repeat(100_000))?;
    let output = directory.path().join(format!("x-{{n}}.{ending}"));
    let running = armed(bench, &output, "rotate every 64KiB;")?;
    ask_all();
    running.signal(Signal::INT)?;
    let finished = running.wait(TIMEOUT)?;
    let count = all_are_there(bench, directory.path(), ending, 64 << 10)?;
    finished.expect_status(0)?.expect_stderr(&format!(": 20,000 records in {count} files, nothing lost"))?;
    match count >= 4 {
        true => Ok(()),
        false => Err(format!("{count} files: this proves nothing\n{finished}").into()),
    }
}

/// A ring that is too small, and a file for every pass or so.
fn lossy(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let mut command = bench.tracec("run");
    let text = "scope including tracec; buffer 8KiB per cpu; rotate every 128KiB; \
                trace {raw_syscalls:sys_enter, raw_syscalls:sys_exit};";
    command.arg("-o").arg(directory.path().join("x.dat")).args(["-e", text, "--", "sh", "-c", STORM]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?;
    let files = files(directory.path(), "dat")?;
    let (mut records, mut lost) = (0, 0);
    for (_, path) in &files {
        let mut report = Command::new(&bench.tracec);
        report.args(["report", "--json"]).arg(path);
        let report = finish(report, TIMEOUT)?;
        report.expect_status(0)?;
        for line in report.stdout.lines() {
            let line: Value = serde_json::from_str(line)?;
            records += u64::from(line["event"].is_string());
            lost += line["lost"].as_u64().unwrap_or(0);
        }
    }
    let last = &files.last().ok_or("no file")?.1;
    let read = counts(bench, last, &["read events"])?;
    let counted = counts(bench, last, &["overrun", "commit overrun", "dropped events"])?;
    if records != read || counted == 0 || lost > counted || files.len() < 3 {
        let count = files.len();
        return Err(format!(
            "{records} records in {count} files, the kernel has given {read}; {lost} lost, and {counted}\n{finished}"
        )
        .into());
    }
    Ok(())
}

fn newest(bench: &Bench) -> Result<(), Failed> {
    for ending in ["dat", "jsonl"] {
        let directory = tempfile::tempdir()?;
        let output = directory.path().join(format!("x.{ending}"));
        let running = armed(bench, &output, "rotate every 32KiB max 3;")?;
        ask_all();
        running.signal(Signal::INT)?;
        let finished = running.wait(TIMEOUT)?;
        let files = files(directory.path(), ending)?;
        let last = files.last().ok_or("no file")?.0;
        let all = files.iter().map(|(_, path)| asked(bench, path)).collect::<Result<Vec<_>, _>>()?.concat();
        // The last of each thread, without a gap.
        let count = |range: std::ops::Range<i32>| -> Result<usize, Failed> {
            let own: Vec<i64> =
                all.iter().copied().filter(|asked| range.contains(&(*asked as i32))).collect();
            let rest = i64::from(range.end) - own.len() as i64..i64::from(range.end);
            match own.iter().copied().eq(rest) {
                true => Ok(own.len()),
                false => Err(format!("{} of {range:?}: {:?}", own.len(), own.first()).into()),
            }
        };
        let number = count(FIRST..FIRST + ASKED / 2)? + count(FIRST + ASKED / 2..FIRST + ASKED)?;
        let removed = last.saturating_sub(3);
        finished
            .expect_status(0)?
            .expect_stderr(&format!("in {last} files (the oldest {removed} removed)"))?;
        if files.len() != 3 || removed == 0 || number != all.len() {
            return Err(format!("{files:?}: {number} of {} records\n{finished}", all.len()).into());
        }
    }
    Ok(())
}

/// What a session that could not go on has written is in its files.
fn whole(bench: &Bench, finished: &Finished, files: &[(u64, PathBuf)]) -> Result<(), Failed> {
    finished.expect_status(1)?;
    let mut all = Vec::new();
    for (_, path) in files {
        all.extend(asked(bench, path)?);
    }
    let number = all.len();
    all.sort_unstable();
    all.dedup();
    match number > 0 && all.len() == number {
        true => Ok(()),
        false => Err(format!("{} of {number} records\n{finished}", all.len()).into()),
    }
}

fn taken(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let output = directory.path().join("x.dat");
    let running = armed(bench, &output, "rotate every 64KiB;")?;
    std::fs::create_dir(directory.path().join("x-3.dat"))?;
    ask_all();
    let finished = running.wait(TIMEOUT)?;
    std::fs::remove_dir(directory.path().join("x-3.dat"))?;
    finished.expect_stderr("x-3.dat: Is a directory")?;
    let files = files(directory.path(), "dat")?;
    if files.len() != 2 {
        return Err(format!("{files:?}\n{finished}").into());
    }
    whole(bench, &finished, &files)
}

fn full_disk(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let small = Small::mount(directory.path(), "512k")?;
    let output = directory.path().join("x.jsonl");
    let running = armed(bench, &output, "rotate every 64KiB;")?;
    ask_all();
    let finished = running.wait(TIMEOUT)?;
    finished.expect_stderr("No space left on device")?;
    let files = files(directory.path(), "jsonl")?;
    // The last line of the last file may be cut.
    let done = files.split_last().map_or(&files[..], |(_, done)| done);
    whole(bench, &finished, done)?;
    drop(small);
    Ok(())
}

fn started(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let (runtime, output) = (directory.path().join("run"), directory.path().join("out"));
    std::fs::create_dir(&output)?;
    let name = own_name();
    let run = |words: &[&str]| -> Result<Finished, Failed> {
        let mut command = Command::new(&bench.tracec);
        command.args(words).arg("--runtime-dir").arg(&runtime);
        if words.first() == Some(&"start") {
            command.arg("--tracefs").arg(&bench.tracefs).arg("-o").arg(output.join("x.dat"));
        }
        finish(command, TIMEOUT)
    };
    let text = clauses(&name, "rotate every 64KiB;");
    run(&["start", "--name", "rotated", "-e", &text])?.expect_status(0)?;
    is_armed(bench, &name)?;
    ask_all();
    let tail = run(&["tail"])?;
    let stopped = run(&["stop"])?;
    tail.expect_status(64)?.expect_stderr("writes one file after the other")?;
    stopped.expect_status(0)?;
    let count = all_are_there(bench, &output, "dat", 64 << 10)?;
    match count >= 4 {
        true => Ok(()),
        false => Err(format!("{count} files: this proves nothing").into()),
    }
}

fn without_a_file(bench: &Bench) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(["-e", "rotate every 1GiB; trace sched:sched_process_exec;"]);
    let refused = finish(command, TIMEOUT)?;
    refused.expect_status(1)?.expect_stderr("[T0529]")?.expect_stderr("-e:1:1")?;
    Ok(())
}
