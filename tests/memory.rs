//! The memory of a run stays small whatever its input claims.
//!
//! The peak of a process counts from the memory of the one that starts it, so the tests in this file hold little
//! themselves.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;

#[path = "../benches/measure/mod.rs"]
#[expect(dead_code, reason = "the benches compare times as well")]
mod measure;

/// The limit of each run.
const LIMIT_KIB: i64 = 64 * 1024;

/// Runs tracec, and tests that it ends within the limit, and whether with status 0.
fn is_small(case: &str, args: &[&str], succeeds: bool) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let run = measure::process(command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args));
    assert_eq!(run.success, succeeds, "{case}");
    assert!(run.peak_kib < LIMIT_KIB, "{case}: {} KiB", run.peak_kib);
}

/// Returns a full page of `size` bytes of 8-byte records, the first at `time` and each one unit after the one before.
fn page(time: u64, size: usize) -> Vec<u8> {
    let records = (size - 16) / 12;
    let mut bytes = time.to_le_bytes().to_vec();
    bytes.extend_from_slice(&(12 * records as u64).to_le_bytes());
    for _ in 0..records {
        bytes.extend_from_slice(&(1u32 << 5 | 2).to_le_bytes());
        bytes.extend_from_slice(&[0xff; 8]);
    }
    bytes.resize(size, 0);
    bytes
}

/// Writes a trace.dat with `pages` pages of each CPU. Its head is that of a recording with pages of 4 KiB.
fn write_recording(path: &Path, cpus: u32, pages: u64, size: usize) -> std::io::Result<()> {
    let recorded = std::fs::read("runtime/tests/data/small-v6.dat")?;
    let position =
        |text: &[u8]| recorded.windows(text.len()).position(|bytes| bytes == text).expect("a part");
    let (data, options, table) =
        (position(b"size:4080;"), position(b"options  \0"), position(b"flyrecord\0"));
    let data_size = format!("size:{};", size - 16);
    let layout = position(b"header_page\0") + 12;
    let length = u64::from_le_bytes(recorded[layout..layout + 8].try_into().expect("8 bytes"));

    let mut head = recorded[..layout].to_vec();
    head.extend_from_slice(&(length + data_size.len() as u64 - 10).to_le_bytes());
    head.extend_from_slice(&recorded[layout + 8..data]);
    head.extend_from_slice(data_size.as_bytes());
    head.extend_from_slice(&recorded[data + 10..options - 4]);
    head.extend_from_slice(&cpus.to_le_bytes());
    head.extend_from_slice(&recorded[options..table + 10]);
    let first = (head.len() as u64 + 16 * u64::from(cpus)).next_multiple_of(4096);
    let each = pages * size as u64;
    for cpu in 0..u64::from(cpus) {
        head.extend_from_slice(&(first + cpu * each).to_le_bytes());
        head.extend_from_slice(&each.to_le_bytes());
    }
    head.resize(first as usize, 0);

    let mut out = BufWriter::new(File::create(path)?);
    out.write_all(&head)?;
    // The times of a few neighbours overlap, so that the merge goes from one to the other and back.
    for cpu in 0..u64::from(cpus) {
        for number in 0..pages {
            out.write_all(&page(1000 * cpu + 10_000 * number, size))?;
        }
    }
    out.flush()
}

#[test]
fn report_of_any_number_of_cpus_is_small() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("cpus.dat");
    let name = path.to_str().expect("UTF-8");
    for (cpus, pages, size) in [(8192, 1, 4096), (8000, 2, 4096), (1000, 1, 65536), (50, 1, 1 << 20)] {
        write_recording(&path, cpus, pages, size).expect("written");
        let case = format!("{cpus} CPUs with {pages} pages of {size} bytes");
        is_small(&case, &["report", name], true);
        for options in [&[][..], &["--no-jit"]] {
            let args = [&["report", name, "-e", "sched:sched_waking if pid % 2 == 0"][..], options].concat();
            is_small(&format!("{case} {options:?}"), &args, true);
        }
    }
}

#[test]
fn check_of_a_long_pattern_is_small() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("long.trc");
    let name = path.to_str().expect("UTF-8");
    for (condition, part) in [
        ("filename ~", "a*"),
        ("filename ~", "?"),
        ("filename ~", "[ab]"),
        ("filename ==", "a"),
        ("comm ~", "a*"),
    ] {
        let mut out = BufWriter::new(File::create(&path).expect("created"));
        write!(out, "session s {{ trace sched:sched_process_exec if {condition} \"").expect("written");
        (0..(4 << 20) / part.len()).for_each(|_| out.write_all(part.as_bytes()).expect("written"));
        out.write_all(b"\"; }\n").and_then(|()| out.flush()).expect("written");
        is_small(part, &["check", name, "--kernel", "tests/data/kernel"], false);
    }
}
