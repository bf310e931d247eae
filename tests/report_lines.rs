//! `tracec report FILE.jsonl`: it shows what `report --fields` shows of the recording that the lines were made from.

use std::path::Path;
use std::process::{Command, Output, Stdio};

const RECORDING: &str = "runtime/tests/data/small-v6.dat";

fn tracec(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("tracec runs")
}

/// Runs a command that has to end with a status, and returns what it prints and what it says.
fn both(args: &[&str], status: i32) -> (String, String) {
    let output = tracec(args);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    (String::from_utf8(output.stdout).expect("UTF-8"), said)
}

fn printed(args: &[&str]) -> String {
    both(args, 0).0
}

/// Files of lines.
struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().expect("a directory"))
    }

    /// Writes a file and returns its path.
    fn with(&self, name: &str, text: &str) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }
}

#[test]
fn lines_are_shown_as_their_recording_is() {
    let files = Files::new();
    for recording in [RECORDING, "tests/data/quickstart.dat"] {
        let json = printed(&["report", recording, "--json"]);
        let expected = printed(&["report", recording, "--fields"]);
        assert!(expected.lines().count() >= 8);
        for name in ["a.jsonl", "a.json", "a.ndjson"] {
            let file = files.with(name, &json);
            let (text, said) = both(&["report", &file], 0);
            assert_eq!(text, expected);
            let records = json.lines().count();
            assert_eq!(said, format!("{records} records, 0 lost, 0 of unknown events\n"));
            assert_eq!(printed(&["report", &file, "--json"]), json);
        }
    }
}

#[test]
fn texts_are_those_of_the_kernel() {
    let files = Files::new();
    let file = files.with("a.jsonl", &printed(&["report", RECORDING, "--json", "--text"]));
    let (found, kernel) = (printed(&["report", &file]), printed(&["report", RECORDING]));
    assert_eq!(found.lines().count(), kernel.lines().count());
    for (line, of_kernel) in found.lines().zip(kernel.lines()) {
        let event =
            line.split_whitespace().find(|word| word.starts_with("sched:") || word.starts_with("sys"));
        let event = event.expect("an event");
        let (_, text) = line.split_once(&format!("{event} ")).expect("a text");
        assert!(of_kernel.ends_with(text) && !text.is_empty(), "{line}: {of_kernel}");
    }
    assert_eq!(printed(&["report", &file, "--fields"]), printed(&["report", RECORDING, "--fields"]));
}

#[test]
fn selections_are_those_of_a_recording() {
    let files = Files::new();
    let file = files.with("a.jsonl", &printed(&["report", RECORDING, "--json"]));
    let all = printed(&["report", &file]);
    for options in [
        &["--event", "sched_wak*"][..],
        &["--event", "sched:sched_waking", "--event", "sys_exit_read"],
        &["--cpu", "1-7"],
        &["--task", "busy"],
        &["--task", "21590", "--cpu", "0"],
        &["--task", "<idle>"],
        &["--from", "2266.955348", "--to", "2266.955750"],
    ] {
        let expected = printed(&[&["report", RECORDING, "--fields"], options].concat());
        let (found, said) = both(&[&["report", &file], options].concat(), 0);
        assert_eq!(found, expected, "{options:?}");
        assert!(!found.is_empty() && found.len() < all.len(), "{options:?}");
        let left = all.lines().count() - found.lines().count();
        assert!(said.contains(&format!("{left} left out")), "{options:?}: {said}");
    }
    // Durations begin with the first record, which must not be one that lines do not have.
    let recording = "tests/data/quickstart.dat";
    let whole = files.with("b.jsonl", &printed(&["report", recording, "--json"]));
    let part = ["--from", "5ms", "--to", "12ms"];
    let expected = printed(&[&["report", recording, "--fields"], &part[..]].concat());
    assert!((1..8).contains(&expected.lines().count()), "{expected}");
    assert_eq!(printed(&[&["report", &whole], &part[..]].concat()), expected);
    for (options, why) in [
        (&["-e", "sched:sched_waking"][..], "`-e` cannot be applied"),
        (&["--layout", "kernel"], "`--layout` cannot be applied"),
        (&["--option", "sym-addr"], "`--option` cannot be applied"),
        (&["--json", "--text"], "`--text` cannot be applied"),
        (&["--buffer", "top"], "`--buffer` cannot be applied"),
        (&[RECORDING], "which are not merged"),
    ] {
        let (text, said) = both(&[&["report", &file], options].concat(), 64);
        assert!(text.is_empty() && said.contains(why), "{options:?}: {said}");
    }
}

#[test]
fn wrong_line_is_reported_with_its_number_behind_those_before() {
    let files = Files::new();
    let json = printed(&["report", RECORDING, "--json"]);
    let expected = printed(&["report", RECORDING, "--fields"]);
    let lines: Vec<&str> = json.lines().collect();
    let half = &lines[30][..lines[30].len() / 2];
    let long = "x".repeat(5 << 20);
    for wrong in [half, "{}", "[1]", "not JSON", "", &long] {
        let file = files.with("a.jsonl", &[&lines[..30], &[wrong], &lines[30..]].concat().join("\n"));
        let (text, said) = both(&["report", &file], 1);
        assert_eq!(text.lines().collect::<Vec<_>>(), expected.lines().take(30).collect::<Vec<_>>());
        assert!(said.contains("[T0515]") && said.contains("a.jsonl: line 31: it is "), "{said}");
    }
    let (text, said) = both(&["report", "missing.jsonl"], 1);
    assert!(text.is_empty() && said.contains("missing.jsonl: No such file"), "{said}");
}

#[test]
fn losses_are_shown_and_counted() {
    let files = Files::new();
    let file = files
        .with("a.jsonl", "{\"lost\":1200,\"cpu\":1}\n{\"lost\":1,\"cpu\":0}\n{\"lost\":null,\"cpu\":1}\n");
    let (text, said) = both(&["report", &file], 0);
    let expected = "# 1200 events lost on cpu 1\n# 1 event lost on cpu 0\n# events lost on cpu 1, their number is unknown\n";
    assert_eq!((text.as_str(), said.as_str()), (expected, "0 records, >1,201 lost, 0 of unknown events\n"));
    assert_eq!(printed(&["report", &file, "--cpu", "0"]), "# 1 event lost on cpu 0\n");
}

#[test]
fn reader_that_goes_away_is_quiet() {
    let files = Files::new();
    let file = files.with("a.jsonl", &printed(&["report", RECORDING, "--json"]));
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.args(["report", &file]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tracec = command.spawn().expect("tracec runs");
    drop(tracec.stdout.take());
    let output = tracec.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn run_of_records_names_report() {
    let files = Files::new();
    let lines = files.with("a.jsonl", "{\"lost\":1,\"cpu\":0}\n");
    for file in [&lines, RECORDING] {
        let (text, said) = both(&["run", file], 64);
        assert_eq!(
            (text.as_str(), said),
            ("", format!("error: {file} has records, not a session: `tracec report {file}` shows them\n"))
        );
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).exists());
    }
}

/// Each line says its clock, its unit and its file, so that lines of many files can be joined and split.
#[test]
fn lines_say_their_clock_and_of_several_files_their_file() {
    let files = Files::new();
    let one = printed(&["report", RECORDING, "--json"]);
    assert!(one.lines().all(|line| line.contains(",\"clock\":\"local\",\"cpu\":")), "{one}");
    assert!(!one.contains("\"file\"") && !one.contains("\"unit\""));
    let other = files.0.path().join("other.dat");
    std::fs::copy(RECORDING, &other).expect("copied");
    let other = other.to_str().expect("UTF-8");
    let both_files = printed(&["report", RECORDING, other, "--json"]);
    let of = |name: &str| {
        both_files.lines().filter(|line| line.contains(&format!(",\"file\":\"{name}\""))).count()
    };
    let name = Path::new(RECORDING).file_name().and_then(|name| name.to_str()).expect("a name");
    assert_eq!([of(name), of("other.dat")], [one.lines().count(); 2]);
    let file = files.with("a.jsonl", &both_files);
    let text = printed(&["report", &file]);
    assert_eq!(text.lines().filter(|line| line.starts_with("other.dat: ")).count(), one.lines().count());
    // Times of another unit are plain numbers.
    let mut bytes = std::fs::read(RECORDING).expect("readable");
    while let Some(at) = bytes.windows(7).position(|found| found == b"[local]") {
        bytes.splice(at..at + 7, *b"[other]");
    }
    let counts = files.0.path().join("counts.dat");
    std::fs::write(&counts, bytes).expect("written");
    let counts = counts.to_str().expect("UTF-8");
    let json = printed(&["report", counts, "--json"]);
    assert!(json.lines().all(|line| line.contains(",\"clock\":\"other\",\"unit\":\"counts\",")), "{json}");
    let file = files.with("b.jsonl", &json);
    assert_eq!(printed(&["report", &file]), printed(&["report", counts, "--fields"]));
}
