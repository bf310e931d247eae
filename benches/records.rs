//! A recording as text, filtered, and walked over: beside trace-cmd and beside a page walk in C, in one run.
//!
//! - `text`: `tracec report` and `trace-cmd report` of the uncompressed form, events per second of CPU time on one core.
//! - `filter`: `tracec filter` and `trace-cmd report -F` with a condition that keeps little, on one core; and beside a
//!   C program that reads the same pages and counts their records, which is the limit. Both keep the same records.
//! - `walk`: the iterator over the records of pages in memory beside the one of the C program, each in a program of its own
//!   (`kernel/examples/walk.rs`): the command is compiled for size, and this program with it.
//! - `filter, zstd`: the compressed form on two cores, wall time.
//! - `memory`: the peak of `tracec report` and `tracec filter`, pages of the program's file included.
//!
//! `TRACEC_BENCH_TRACE` names a trace.dat, of which the buffer with the most records is used; without it one is made from a
//! small one of the project, whose records are repeated until there are two million. `TRACEC_BIN` names another tracec. A
//! part whose tool is missing is left out with a printed reason. The exit status is 1 where a goal is missed, and with
//! `-- --all` also if something was left out.
//!
//!     cargo bench --bench records
//!     TRACEC_BENCH_TRACE=FILE cargo bench --bench records

mod measure;
#[expect(dead_code, reason = "the recording is measured, not its records in memory")]
mod recording;
mod records_peer;

use std::fs::File;
use std::io::{self, BufWriter};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use measure::{median, process, report};
use records_peer::{Places, Walk};
use tracec_kernel::page::{Page, PageLayout};
use tracec_runtime::record::{
    Buffer, Compression, CpuData, Extract, Form, Head, Outline, TraceDat, Version, Writer, option, rewrite,
};

/// The goals: how many times as fast as trace-cmd, and what part of the speed of C.
const TEXT: f64 = 10.0;
const FILTER: f64 = 10.0;
const FILTER_OF_C: f64 = 0.7;
const WALK_OF_C: f64 = 0.9;
const FILTER_ZSTD: f64 = 10.0;
const MEMORY_KIB: i64 = 64 * 1024;

/// The turns of a program, and of trace-cmd, which takes seconds for one.
const TURNS: usize = 9;
const TURNS_OF_PEER: usize = 3;

/// The passes of a walk in memory.
const PASSES: usize = 25;

/// The least number of records of a recording that is made.
const RECORDS: u64 = 2_000_000;

fn main() -> ExitCode {
    let all = std::env::args().any(|argument| argument == "--all");
    let scratch = tempfile::tempdir().expect("a directory for files");
    match measured(scratch.path()) {
        Ok(Outcome { missed, left_out }) => {
            left_out.iter().for_each(|why| println!("left out: {why}"));
            missed.iter().for_each(|goal| println!("missed: {goal}"));
            if missed.is_empty() && (!all || left_out.is_empty()) {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            }
        }
        Err(error) => {
            println!("FAILED: {error}");
            ExitCode::FAILURE
        }
    }
}

#[derive(Default)]
struct Outcome {
    missed: Vec<String>,
    left_out: Vec<String>,
}

impl Outcome {
    fn at_least(&mut self, what: &str, found: f64, goal: f64) {
        if found < goal {
            self.missed.push(format!("{what}: {found:.2}, and the goal is {goal}"));
        }
    }
}

fn measured(scratch: &Path) -> io::Result<Outcome> {
    let mut outcome = Outcome::default();
    let bed = Bed::new(scratch)?;
    println!(
        "recording: {}; {} records, {} bytes of pages; CPU times on one core, medians",
        bed.name,
        bed.records,
        bed.places.iter().map(|(_, length)| length).sum::<u64>()
    );
    let has_peer = Command::new("trace-cmd").arg("--version").output().is_ok();
    if !has_peer {
        outcome.left_out.push("there is no trace-cmd to compare with".to_owned());
    }
    let condition = format!("sched:sched_switch if next_pid == {}", bed.pid);
    let filter = format!("sched/sched_switch: next_pid == {}", bed.pid);
    let filter_of = |mut command: Command| {
        command.arg(&condition);
        command
    };
    // First: the peak of a process is at least that of the one that starts it.
    for (what, mut command) in [
        ("report", bed.tracec("report", &bed.plain)),
        ("filter", filter_of(bed.tracec("filter", &bed.plain))),
        ("filter, zstd", filter_of(bed.tracec("filter", &bed.zstd))),
    ] {
        let peak = process(&mut command).peak_kib;
        println!("memory, {what}: {:.1} MiB", peak as f64 / 1024.0);
        if peak > MEMORY_KIB {
            outcome.missed.push(format!("memory of {what}: {peak} KiB, and the goal is {MEMORY_KIB}"));
        }
    }
    let text = turns(TURNS, || on_one_core(bed.tracec("report", &bed.plain)));
    let kept = turns(TURNS, || on_one_core(filter_of(bed.tracec("filter", &bed.plain))));
    if has_peer {
        let peer_text = turns(TURNS_OF_PEER, || on_one_core(trace_cmd(&bed.plain, None)));
        let ratio = report("text, trace-cmd / tracec", peer_text, text);
        outcome.at_least("text", ratio, TEXT);
        let peer_kept = turns(TURNS_OF_PEER, || on_one_core(trace_cmd(&bed.plain, Some(&filter))));
        let ratio = report("filter, trace-cmd report -F / tracec", peer_kept, kept);
        outcome.at_least("filter", ratio, FILTER);
        let own_lines = lines(on_one_core(filter_of(bed.tracec("filter", &bed.plain))))?;
        let peer_lines = lines(on_one_core(trace_cmd(&bed.plain, Some(&filter))))?.saturating_sub(1);
        println!("both keep {own_lines} records for which `{condition}`");
        if own_lines != peer_lines || own_lines == 0 {
            outcome.missed.push(format!("tracec keeps {own_lines} records, trace-cmd {peer_lines}"));
        }
    }
    match Walk::compile(scratch)? {
        None => outcome.left_out.push("there is no C compiler `cc`".to_owned()),
        Some(walk) => {
            let bare =
                turns(TURNS, || on_one_core(walk.command(&bed.plain, 0, bed.layout.size, &bed.places)));
            let ratio = report("filter, bare walk in C / tracec", bare, kept);
            outcome.at_least("filter beside C", ratio, FILTER_OF_C);
            let own = Walk::of_library()?;
            let passes = |walk: &Walk| walk.passes(&bed.plain, PASSES, bed.layout.size, &bed.places);
            let (theirs, own) = (passes(&walk)?, passes(&own)?);
            if theirs.0 != own.0 || own.0.records != bed.records {
                outcome.missed.push(format!("the walks differ: {:?}, in C {:?}", own.0, theirs.0));
            }
            let ratio = report("walk in memory, C / tracec", median(theirs.1), median(own.1));
            outcome.at_least("walk beside C", ratio, WALK_OF_C);
        }
    }
    if has_peer {
        let time = |command: &mut Command| process(command).wall;
        let own = median((0..TURNS).map(|_| time(&mut filter_of(bed.tracec("filter", &bed.zstd)))).collect());
        let peer =
            median((0..TURNS_OF_PEER).map(|_| time(&mut trace_cmd(&bed.zstd, Some(&filter)))).collect());
        let ratio = report("filter, zstd, wall time, trace-cmd report -F / tracec", peer, own);
        outcome.at_least("filter, zstd", ratio, FILTER_ZSTD);
    }
    Ok(outcome)
}

/// Returns the median CPU time of a command.
fn turns(count: usize, command: impl Fn() -> Command) -> Duration {
    let turn = |_| {
        let sample = process(&mut command());
        assert!(sample.success, "{:?} failed", command());
        sample.cpu
    };
    median((0..count).map(turn).collect())
}

/// Returns the number of lines that a command prints.
fn lines(mut command: Command) -> io::Result<usize> {
    let output = command.stderr(Stdio::null()).output()?;
    Ok(output.stdout.iter().filter(|byte| **byte == b'\n').count())
}

/// Binds a command to the first core.
fn on_one_core(command: Command) -> Command {
    let mut bound = Command::new("taskset");
    bound.args(["-c", "0"]).arg(command.get_program()).args(command.get_args());
    bound
}

fn trace_cmd(file: &Path, filter: Option<&str>) -> Command {
    let mut command = Command::new("trace-cmd");
    command.arg("report");
    // It is for the files behind it.
    if let Some(filter) = filter {
        command.args(["-F", filter]);
    }
    command.arg("-i").arg(file);
    command
}

/// The recording in both forms.
struct Bed {
    name: String,
    plain: PathBuf,
    zstd: PathBuf,
    layout: PageLayout,
    places: Places,
    records: u64,
    /// The task of the first switch.
    pid: u32,
}

impl Bed {
    fn new(scratch: &Path) -> io::Result<Bed> {
        let (source, name) = match std::env::var_os(recording::VARIABLE).map(PathBuf::from) {
            Some(named) => (named.clone(), named.display().to_string()),
            None => {
                let made = made(scratch)?;
                (made, format!("{} again and again ({} names another)", recording::KEPT, recording::VARIABLE))
            }
        };
        let mut file = TraceDat::open(&source).map_err(io::Error::other)?;
        let size = |buffer: &&Buffer| buffer.cpus.iter().map(CpuData::length).sum::<u64>();
        let buffer = file.buffers.iter().max_by_key(size).map(|buffer| buffer.name.clone());
        let extract = Extract { buffer, range: None };
        let (plain, zstd) = (scratch.join("plain.dat"), scratch.join("zstd.dat"));
        for (path, compression) in [(&plain, Compression::None), (&zstd, Compression::Zstd)] {
            let form = Form { version: Version::Seven, compression };
            rewrite(&mut file, File::create(path)?, form, &extract).map_err(io::Error::other)?;
        }
        let file = TraceDat::open(&plain).map_err(io::Error::other)?;
        let buffer = file.buffers.first().ok_or_else(|| io::Error::other("the recording has no buffer"))?;
        let layout = PageLayout { size: buffer.page_size, ..file.layout };
        let places: Places = buffer.cpus.iter().map(|cpu| (cpu.offset, cpu.size)).collect();
        let (records, pid) = counted(&plain, &file)?;
        Ok(Bed { name, plain, zstd, layout, places, records, pid })
    }

    /// Returns the command of tracec for a file.
    fn tracec(&self, command: &str, file: &Path) -> Command {
        let binary = std::env::var("TRACEC_BIN").unwrap_or_else(|_| env!("CARGO_BIN_EXE_tracec").to_owned());
        let mut tracec = Command::new(binary);
        tracec.arg(command).arg(file);
        tracec
    }
}

/// Returns the number of records of the first buffer, and the thread that its first switch goes to. One page is held: what
/// this process holds would count as memory of those that it starts.
fn counted(path: &Path, file: &TraceDat<File>) -> io::Result<(u64, u32)> {
    let missing = || io::Error::other("the recording has no record of sched_switch");
    let switch = file.formats.iter().find(|format| format.qualified_name() == "sched:sched_switch");
    let switch = switch.ok_or_else(missing)?;
    let next = switch.fields.iter().find(|field| field.name == "next_pid").ok_or_else(missing)?;
    let (id, at) = (switch.id.to_le_bytes(), next.offset as usize);
    let buffer = file.buffers.first().ok_or_else(missing)?;
    let layout = PageLayout { size: buffer.page_size, ..file.layout };
    let (source, mut page) = (File::open(path)?, vec![0; layout.size as usize]);
    let (mut records, mut pid) = (0, None);
    for cpu in &buffer.cpus {
        for number in 0..cpu.size / u64::from(layout.size) {
            source.read_exact_at(&mut page, cpu.offset + number * u64::from(layout.size))?;
            for entry in Page::new(&layout, &page).map_err(io::Error::other)?.entries() {
                let data = entry.map_err(io::Error::other)?.data;
                records += 1;
                if pid.is_none() && data.starts_with(&id) {
                    pid = data.get(at..).and_then(|rest| rest.first_chunk()).copied().map(u32::from_le_bytes);
                }
            }
        }
    }
    Ok((records, pid.ok_or_else(missing)?))
}

/// Makes a recording of a small one: its pages again and again, each time later.
fn made(scratch: &Path) -> io::Result<PathBuf> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(recording::KEPT);
    let mut file = TraceDat::open(&kept).map_err(io::Error::other)?;
    let Outline { version, big_endian, long_size, page_size, parts, options, .. } =
        file.outline().map_err(io::Error::other)?;
    let path = scratch.join("made.dat");
    let head = Head { big_endian, long_size, page_size };
    let mut writer = Writer::new(BufWriter::new(File::create(&path)?), head, Compression::None)?;
    for part in parts.iter().filter(|part| ![option::DONE, option::STRINGS].contains(&part.id)) {
        writer.section(part.id, &file.part(part, version).map_err(io::Error::other)?, &[])?;
    }
    for found in options.iter().filter(|found| found.id != option::BUFFER && found.id > option::CMDLINES) {
        writer.option(found.id, &found.data)?;
    }
    writer.option(option::CPUCOUNT, &file.cpus.to_le_bytes())?;
    let layout = file.layout;
    let buffer = file.buffers.first().cloned().ok_or_else(|| io::Error::other("no buffer is kept"))?;
    let mut of_cpus = Vec::new();
    let (mut records, mut first, mut last) = (0, u64::MAX, 0);
    for data in &buffer.cpus {
        let mut pages = Vec::new();
        let mut raw = file.raw_pages(data, buffer.page_size);
        while let Some(page) = raw.next_page().map_err(io::Error::other)? {
            for entry in Page::new(&layout, page).map_err(io::Error::other)?.entries() {
                let timestamp = entry.map_err(io::Error::other)?.timestamp;
                (first, last) = (timestamp.min(first), timestamp.max(last));
                records += 1;
            }
            pages.push(page.to_vec());
        }
        of_cpus.push((data.cpu, pages));
    }
    let mut written = writer.buffer(&buffer.name, buffer.clock.as_deref(), buffer.page_size)?;
    for (cpu, pages) in &mut of_cpus {
        written.cpu(*cpu)?;
        for _ in 0..RECORDS.div_ceil(records) {
            for page in &mut *pages {
                written.page(page)?;
                let begin = page.first_chunk_mut::<8>().ok_or_else(|| io::Error::other("a short page"))?;
                *begin = (u64::from_le_bytes(*begin) + (last - first) + 1000).to_le_bytes();
            }
        }
    }
    written.finish()?;
    writer.finish()?;
    Ok(path)
}
