//! The texts of records in memory, beside libtraceevent's `tep_print_event` on the same records: both by the print
//! formats, in one thread, into a buffer that is used again. And how many print formats of the kernels that are shipped
//! either understands.
//!
//! `TRACEC_BENCH_TRACE=FILE cargo bench -p tracec-runtime --bench texts` measures the records of a trace.dat of version
//! 6; without it those of the tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tracec_kernel::format::EventFormat;
use tracec_kernel::profile::Profile;
use tracec_kernel::text::{Nothing, Text};
use tracec_runtime::record::{TraceDat, report};
use tracec_runtime::sink::{Event, SinkError};

/// The least ratio of the peer's time to ours.
const GOAL: f64 = 5.0;

/// The rounds of each side, which take turns; the median counts.
const ROUNDS: usize = 5;

/// Records that one round prints, about.
const RECORDS: usize = 2_000_000;

fn main() {
    let scratch = tempfile::tempdir().expect("a directory for the peer");
    let file = recording(scratch.path());
    let mut trace = TraceDat::open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let mut records: Vec<Vec<u8>> = Vec::new();
    let mut keep = |event: &Event<'_>| -> Result<(), SinkError> {
        records.push(event.record.data.to_vec());
        Ok(())
    };
    report(&mut trace, &mut keep).expect("the recording is whole");
    let passes = RECORDS.div_ceil(records.len().max(1));
    let mut texts: Vec<Option<Text>> = Vec::new();
    for format in &trace.formats {
        let id = usize::from(format.id);
        texts.resize_with(texts.len().max(id + 1), || None);
        texts[id] = Text::compile_print_fmt(format, &Nothing).ok();
    }
    let peer = match peer(scratch.path(), &trace, &records) {
        Ok(peer) => peer,
        Err(reason) => return println!("SKIPPED: {reason}"),
    };
    print_understood(&peer, scratch.path());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let mut bytes = (0, 0);
    for _ in 0..ROUNDS {
        let (time, printed) = print(&texts, &records, passes);
        ours.push(time);
        let answer = Command::new(&peer)
            .args([scratch.path().join("formats"), scratch.path().join("records")])
            .arg(passes.to_string())
            .output()
            .expect("the peer starts");
        let answer = String::from_utf8(answer.stdout).expect("numbers");
        let numbers: Vec<u64> =
            answer.split_whitespace().map(|number| number.parse().expect("a number")).collect();
        let [count, peers_bytes, nanoseconds] = numbers[..] else { panic!("the peer's answer {answer:?}") };
        assert_eq!(count as usize, records.len(), "the peer prints other records");
        theirs.push(Duration::from_nanos(nanoseconds));
        bytes = (printed, peers_bytes as usize);
    }
    let rate = |times: &mut Vec<Duration>| {
        times.sort();
        (passes * records.len()) as f64 / times[ROUNDS / 2].as_secs_f64()
    };
    let (ours, theirs) = (rate(&mut ours), rate(&mut theirs));
    println!("{} records, {} bytes of text", records.len(), bytes.0);
    assert_eq!(bytes.0, bytes.1, "the peer prints other texts");
    println!(
        "ours {:.2} M/s, tep_print_event {:.2} M/s: {:.2} times",
        ours / 1e6,
        theirs / 1e6,
        ours / theirs
    );
    assert!(ours / theirs >= GOAL, "the goal is {GOAL} times");
}

/// Prints how many print formats of each kernel are understood. Both know no enumerators but those of the formats.
fn print_understood(peer: &Path, scratch: &Path) {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../profiles");
    for kernel in ["6.1", "6.12", "6.18"] {
        let bytes = std::fs::read(directory.join(format!("{kernel}.trcprof"))).expect("a profile");
        let profile = Profile::open(bytes.as_slice()).expect("a profile");
        let (mut kept, mut ours, mut texts) = (None, 0, Vec::new());
        let index = profile.index();
        for (system, event) in index.all() {
            let id = index.find(system, &event.name).expect("an event of the index");
            let text = profile.format(id, &mut kept).expect("its format");
            let format = EventFormat::parse(system, &text).expect("a format of a kernel");
            ours += usize::from(Text::compile_print_fmt(&format, &Nothing).is_ok());
            push_format(&mut texts, system, &text);
        }
        let file = scratch.join("all");
        std::fs::write(&file, &texts).expect("a file in a directory of its own");
        let answer = Command::new(peer).arg(file).output().expect("the peer starts");
        let answer = String::from_utf8_lossy(&answer.stdout).into_owned();
        let (theirs, all) = answer.trim().split_once(' ').expect("two numbers");
        println!(
            "print formats of {kernel}: {all}, of which tracec compiles {ours}, and libtraceevent {theirs}"
        );
    }
}

/// Appends a format as the peer reads it.
fn push_format(formats: &mut Vec<u8>, system: &str, text: &str) {
    formats.extend(((system.len() + 1 + text.len()) as u32).to_ne_bytes());
    formats.extend(system.bytes().chain([0]).chain(text.bytes()));
}

/// The recording to measure.
fn recording(scratch: &Path) -> PathBuf {
    if let Some(file) = std::env::var_os("TRACEC_BENCH_TRACE") {
        return file.into();
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/sample.dat.gz");
    let output = Command::new("gzip").arg("-dc").arg(&kept).output().expect("gzip starts");
    let file = scratch.join("sample.dat");
    std::fs::write(&file, output.stdout).expect("a file in a directory of its own");
    file
}

/// Prints all records so many times. Returns the CPU time, and the bytes of one pass.
fn print(texts: &[Option<Text>], records: &[Vec<u8>], passes: usize) -> (Duration, usize) {
    let mut out = Vec::new();
    let mut bytes = 0;
    let start = cpu_time();
    for _ in 0..passes {
        bytes = 0;
        for record in records {
            out.clear();
            let id = usize::from(u16::from_ne_bytes([record[0], record[1]]));
            if let Some(Some(text)) = texts.get(id) {
                text.render(record, &Nothing, &mut out);
            }
            bytes += out.len();
        }
    }
    (cpu_time() - start, bytes)
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Returns the text of a layout as a kernel writes it: the part of an array stands behind the name of its field, which
/// the library insists on.
fn of_kernel(text: &str) -> String {
    let line = |line: &str| {
        let Some((field, rest)) = line.strip_prefix("\tfield:").and_then(|line| line.split_once(';')) else {
            return line.to_owned();
        };
        match (field.rsplit_once(' '), field.split_once('[')) {
            (Some((ty, name)), Some(_)) if !ty.starts_with("__") && ty.ends_with(']') => {
                let (element, count) = ty.split_once('[').unwrap_or((ty, ""));
                format!("\tfield:{element} {name}[{count};{rest}")
            }
            _ => line.to_owned(),
        }
    };
    text.lines().map(|text| line(text) + "\n").collect()
}

/// Compiles the peer and writes its files; or returns why that is not possible here.
fn peer<R>(scratch: &Path, trace: &TraceDat<R>, records: &[Vec<u8>]) -> Result<PathBuf, String> {
    let (mut formats, mut all) = (Vec::new(), Vec::new());
    for format in &trace.formats {
        push_format(&mut formats, &format.system, &of_kernel(&format.text()));
    }
    for record in records {
        all.extend((record.len() as u32).to_ne_bytes());
        all.extend(record);
    }
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(scratch.join(name), bytes).map_err(|error| error.to_string())
    };
    write("formats", &formats)?;
    write("records", &all)?;
    let program = scratch.join("tep");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/texts_peer/tep.c");
    let mut compiler = Command::new("cc");
    compiler
        .arg("-O2")
        .arg("-o")
        .arg(&program)
        .arg(source)
        .args(["-I/usr/include/traceevent", "-ltraceevent"]);
    let output = compiler.output().map_err(|error| format!("cc: {error}"))?;
    match output.status.success() {
        true => Ok(program),
        false => Err(format!("libtraceevent-dev is needed: {}", String::from_utf8_lossy(&output.stderr))),
    }
}
