//! `tracec filter`: what it prints is what `report` prints of the same condition, what it writes prints so too, and mistakes
//! of conditions are shown where they stand.

use std::path::Path;
use std::process::{Command, Output, Stdio};

const VERSION_6: &str = "runtime/tests/data/small-v6.dat";
const VERSION_7: &str = "runtime/tests/data/small-v7-zstd.dat";
const CONDITION: &str = "sched:sched_waking if pid % 2 == 0";

fn tracec(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("tracec runs")
}

/// Runs a command that has to work, and returns what it prints and what it says.
fn both(args: &[&str]) -> (String, String) {
    let output = tracec(args);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(output.status.success(), "{args:?}: {said}");
    (String::from_utf8(output.stdout).expect("UTF-8"), said)
}

fn printed(args: &[&str]) -> String {
    both(args).0
}

/// Runs a command that has to fail with a status, and returns what it says.
fn refused(args: &[&str], status: i32) -> String {
    let output = tracec(args);
    assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(status), true), "{args:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn filter_prints_what_report_prints_of_the_same_condition() {
    for file in [VERSION_6, VERSION_7] {
        let expected = both(&["report", file, "-e", CONDITION]);
        assert!(expected.0.lines().count() > 10);
        assert_eq!(both(&["filter", file, CONDITION]), expected);
        assert_eq!(both(&["filter", file, "-e", CONDITION, "--no-jit"]), expected);
        let layout = ["--layout", "trace-cmd-3.1", "--cpu", "1"];
        assert_eq!(
            printed(&[&["filter", file, CONDITION][..], &layout].concat()),
            printed(&[&["report", file, "-e", CONDITION][..], &layout].concat())
        );
        // On one CPU there are no threads.
        let mut one = Command::new("taskset");
        one.args(["-c", "0", env!("CARGO_BIN_EXE_tracec"), "filter", file, CONDITION]);
        let output = one.current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("taskset runs");
        assert_eq!(String::from_utf8(output.stdout).expect("UTF-8"), expected.0);
    }
}

#[test]
fn written_file_prints_what_was_found_here_and_in_trace_cmd() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().join("out.dat");
    let out = out.to_str().expect("UTF-8");
    for file in [VERSION_6, VERSION_7] {
        let (nothing, said) = both(&["filter", file, CONDITION, "-o", out]);
        let (expected, counts) = both(&["filter", file, CONDITION]);
        assert_eq!((nothing.as_str(), said), ("", format!("{out}: {counts}")));
        assert_eq!(printed(&["report", out]), expected);
        let peer = Command::new("trace-cmd").args(["report", "-i", out]).output();
        let Ok(peer) = peer else {
            println!("SKIPPED: trace-cmd is not installed");
            continue;
        };
        // A program that was built without a compression cannot read a compressed file.
        assert!(peer.status.success() || file != VERSION_6, "{}", String::from_utf8_lossy(&peer.stderr));
        if peer.status.success() {
            let shown = String::from_utf8_lossy(&peer.stdout).into_owned();
            assert_eq!(shown, printed(&["report", out, "--layout", "trace-cmd-3.1"]));
        }
    }
    // Everything is kept where everything is asked for, and a part of the time where that is asked for.
    let all = "{sched:sched_waking, sched:sched_wakeup}";
    for more in [&[][..], &["--from", "100us"]] {
        printed(&[&["filter", VERSION_7, all, "-o", out], more].concat());
        assert_eq!(printed(&["report", out]), printed(&[&["filter", VERSION_7, all], more].concat()));
    }
    assert_eq!(std::fs::read_dir(directory.path()).expect("readable").count(), 1);
}

/// A recording cannot be made again: what is not found would be lost.
#[test]
fn recording_is_not_replaced_by_a_part_of_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("only.dat");
    std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(VERSION_7), &file).expect("a copy");
    let link = directory.path().join("link.dat");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    let before = std::fs::read(&file).expect("a file");
    let file = file.to_str().expect("UTF-8");
    for output in [file, link.to_str().expect("UTF-8")] {
        let said = refused(&["filter", file, CONDITION, "-o", output], 64);
        assert!(said.contains("is the recording itself"), "{said}");
        assert!(std::fs::read(file).expect("a file") == before);
    }
}

#[test]
fn loss_stays_in_front_of_its_record_and_at_the_end() {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, out) = (directory.path().join("lost.dat"), directory.path().join("out.dat"));
    let mut bytes = std::fs::read(VERSION_6).expect("readable");
    // As a page says that seven records were lost before it.
    let page = 2 * 4096 + 4096;
    let used = u64::from_le_bytes(bytes[page + 8..page + 16].try_into().expect("8 bytes"));
    bytes[page + 8..page + 16].copy_from_slice(&(used | 3 << 30).to_le_bytes());
    let at = page + 16 + used as usize;
    bytes[at..at + 8].copy_from_slice(&7_u64.to_le_bytes());
    std::fs::write(&file, bytes).expect("written");
    let (file, out) = (file.to_str().expect("UTF-8"), out.to_str().expect("UTF-8"));
    for condition in [CONDITION, "sched:sched_waking if pid < 0"] {
        let (expected, counts) = both(&["filter", file, condition]);
        assert!(expected.contains("CPU:0 [LOST 7 EVENTS]") && counts.contains("7 lost"), "{expected}");
        printed(&["filter", file, condition, "-o", out]);
        assert_eq!(printed(&["report", out]), expected);
    }
}

#[test]
fn session_file_says_events_and_conditions() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("a.trc");
    let path = file.to_str().expect("UTF-8");
    let text = "session a {\n    buffer 4MiB per cpu;\n    trace sched:sched_waking if pid % 2 == 0;\n    \
        output \"x.txt\";\n}\n";
    std::fs::write(&file, text).expect("written");
    assert_eq!(printed(&["filter", VERSION_6, path]), printed(&["filter", VERSION_6, CONDITION]));
    std::fs::write(&file, text.replace("pid %", "pidd %")).expect("written");
    let said = refused(&["filter", VERSION_6, path], 1);
    assert!(said.contains("T0102") && said.contains("a.trc:3:33"), "{said}");
    assert!(!Path::new("x.txt").exists());
}

#[test]
fn mistakes_are_shown_where_they_stand() {
    for (condition, code, place) in [
        ("sched:sched_waking if pidd == 0", "T0102", "condition:1:23"),
        ("sched:sched_waking if current.comm == \"x\"", "T0408", "condition:1:23"),
        ("trace sched:sched_waking; stop after 1s", "T0408", "condition:1:27"),
        ("sched:nothing", "T0101", "condition:1:1"),
    ] {
        let said = refused(&["filter", VERSION_6, condition], 1);
        assert!(said.contains(code) && said.contains(place), "{condition}: {said}");
    }
    let said = refused(&["filter", VERSION_6], 64);
    assert!(said.contains("what is to be found is missing"), "{said}");
    let said = refused(&["filter", "README.md", CONDITION], 1);
    assert!(said.contains("README.md: it is not a trace.dat file"), "{said}");
    let said = refused(&["filter", VERSION_6, "-e", CONDITION, "--cpu", "99"], 64);
    assert!(said.contains("the recording has no cpu `99` with records"), "{said}");
}

#[test]
fn reader_that_goes_away_is_quiet() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["filter", VERSION_6, CONDITION]);
    let mut tracec = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("tracec runs");
    drop(tracec.stdout.take());
    let output = tracec.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn several_recordings_are_merged_by_time_and_marked() {
    let directory = tempfile::tempdir().expect("a directory");
    let (first, second) = (directory.path().join("first.dat"), directory.path().join("second.dat"));
    std::fs::copy(VERSION_6, &first).expect("copied");
    std::fs::copy(VERSION_7, &second).expect("copied");
    let (first, second) = (first.to_str().expect("UTF-8"), second.to_str().expect("UTF-8"));
    let text = printed(&["report", first, second]);
    for (name, file) in [("first.dat: ", VERSION_6), ("second.dat: ", VERSION_7)] {
        let own: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix(name)).collect();
        let alone = printed(&["report", file]);
        assert_eq!(own, alone.lines().collect::<Vec<_>>());
    }
    // Both have the same records, so lines of the two files alternate.
    let switches = text.lines().zip(text.lines().skip(1)).filter(|(one, next)| one[..3] != next[..3]).count();
    assert!(switches > 100, "{switches}");
    let of_both = printed(&["filter", first, second, "-e", CONDITION]);
    assert_eq!(of_both.lines().count(), 2 * printed(&["filter", first, CONDITION]).lines().count());

    let mut bytes = std::fs::read(VERSION_6).expect("readable");
    // Where it says which clock was chosen.
    let clock = b"[local]";
    while let Some(at) = bytes.windows(clock.len()).position(|found| found == clock) {
        bytes.splice(at..at + clock.len(), *b"[other]");
    }
    std::fs::write(second, bytes).expect("written");
    let said = refused(&["report", first, second], 64);
    assert!(said.contains("are of the clock `") && said.contains("cannot be merged"), "{said}");
}

/// What a session shows of records: in the text, as JSON, and in a file, of which nobody reads what is hidden.
#[test]
fn text_and_fields_are_those_that_the_session_shows() {
    let directory = tempfile::tempdir().expect("a directory");
    let out = directory.path().join("out.dat");
    let out = out.to_str().expect("UTF-8");
    let shown = |items: &str| format!("trace sched:sched_waking if pid % 2 == 0 {{ {items} }}");
    for file in [VERSION_6, VERSION_7] {
        let comms: Vec<String> = json(&["report", file, "--json", "-e", CONDITION])
            .iter()
            .map(|record| record["fields"]["comm"].as_str().expect("a name").to_owned())
            .collect();
        assert!(comms.len() > 10 && comms.iter().any(|comm| comm.len() > 4), "{comms:?}");
        let text = printed(&["filter", file, &shown(r#"print "{pid} at {target_cpu:03}""#)]);
        assert_eq!(text.lines().count(), comms.len());
        assert!(text.lines().all(|line| {
            line.split_once(": sched_waking: ").is_some_and(|(_, rest)| rest.contains(" at 00"))
        }));
        for hide in ["drop comm;", "redact comm;"] {
            let shown = shown(hide);
            let found = json(&["report", file, "--json", "-e", &shown]);
            assert_eq!(found.len(), comms.len());
            let comm = |record: &serde_json::Value| record["fields"]["comm"].as_str().map(str::to_owned);
            let expected = hide.starts_with("redact").then(String::new);
            assert!(found.iter().all(|record| comm(record) == expected), "{hide}");
            let text = printed(&["filter", file, &shown]);
            printed(&["filter", file, &shown, "-o", out]);
            assert_eq!(printed(&["report", out]), text, "{hide}");
            let written = json(&["report", out, "--json"]);
            assert!(written.iter().all(|record| comm(record) == expected), "{hide}");
            assert_eq!(written.len(), comms.len());
            // The name of a record is behind a thread's number in the names of tasks, and nowhere else.
            let longest = comms.iter().max_by_key(|comm| comm.len()).expect("one");
            let bytes = std::fs::read(out).expect("readable");
            assert!(file == VERSION_7 || !is_in_a_record(&bytes, longest), "{hide}: {longest}");
            let Ok(peer) = Command::new("trace-cmd").args(["report", "-i", out]).output() else {
                println!("SKIPPED: trace-cmd is not installed");
                continue;
            };
            if file == VERSION_6 {
                let peers = String::from_utf8_lossy(&peer.stdout).into_owned();
                assert!(peer.status.success(), "{}", String::from_utf8_lossy(&peer.stderr));
                assert_eq!(peers, printed(&["report", out, "--layout", "trace-cmd-3.1"]), "{hide}");
            }
        }
    }
}

/// Returns the records of a command that prints JSON lines.
fn json(args: &[&str]) -> Vec<serde_json::Value> {
    let lines = printed(args);
    let records = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    records.filter(|record| record["event"].is_string()).collect()
}

/// Returns whether a text is in the bytes of a file, and not in the names of tasks.
fn is_in_a_record(bytes: &[u8], text: &str) -> bool {
    let before = |at: usize| at.checked_sub(1).and_then(|before| bytes.get(before));
    let mut windows = bytes.windows(text.len()).enumerate();
    windows.any(|(at, window)| window == text.as_bytes() && before(at) != Some(&b' '))
}
