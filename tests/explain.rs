//! `tracec explain` of sessions, against the shipped kernel 6.12, which is the same on every machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::expect_file;
use serde_json::Value;
use xtask::workspace::WAITS;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn explain(args: &[&str]) -> Output {
    explain_for("6.12", args)
}

fn explain_for(kernel: &str, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["explain", "--kernel", kernel]).args(args);
    command.output().expect("tracec runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8")
}

/// Returns the files below a directory that end in `.trc`, as paths from the root.
fn texts(dir: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(dir)).unwrap_or_else(|error| panic!("{dir}: {error}"));
    let names = entries.map(|entry| entry.expect("a readable directory").file_name());
    let mut paths: Vec<PathBuf> = names.map(|name| Path::new(dir).join(name)).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "trc"));
    paths.sort();
    paths
}

/// Returns the explanation of a text, with its diagnostics.
fn shown(path: &Path) -> String {
    let output = explain(&[path.to_str().expect("UTF-8")]);
    let (said, complaints) = (stdout(&output), stderr(&output));
    assert_eq!(output.status.code() == Some(1), complaints.contains("error["), "{complaints}");
    if complaints.is_empty() { said } else { format!("{said}--\n{complaints}") }
}

#[test]
fn explanations_are_as_recorded() {
    let mut compared = 0;
    for path in texts("tests/explain") {
        expect_file![root().join(path.with_extension("txt"))].assert_eq(&shown(&path));
        compared += 1;
    }
    for dir in ["examples", "stdlib"] {
        for path in texts(dir).into_iter().filter(|path| has_sessions(path)) {
            let name = path.with_extension("txt").file_name().expect("a file").to_owned();
            expect_file![root().join("tests/explain").join(dir).join(name)].assert_eq(&shown(&path));
            compared += 1;
        }
    }
    assert!(compared >= 4, "{compared}");
}

/// Returns whether there is something to explain, and the compiler supports it.
fn has_sessions(path: &Path) -> bool {
    let text = std::fs::read_to_string(root().join(path)).expect("readable");
    let is_session = |line: &str| line.starts_with("session ");
    text.lines().any(is_session) && !text.starts_with(WAITS)
}

fn object(args: &[&str]) -> Value {
    let output = explain(&[args, &["--json"]].concat());
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 1, "{text}{}", stderr(&output));
    serde_json::from_str(&text).expect("JSON")
}

/// Returns a condition whose parts have texts of these lengths in the kernel's filter. No part implies or excludes
/// another; `first` numbers them.
fn conjuncts(first: usize, lengths: &[usize]) -> String {
    let part = |(index, &length): (usize, &usize)| {
        // `X || X || .. X`, of which each is `next_pid == NNNNN`, 17 bytes; 21 with the connector. Parentheses are
        // added where it stands among others. The last is about another field: otherwise two parts would contradict
        // each other.
        assert!(length >= 17 && (length - 17).is_multiple_of(21), "{length}");
        let number = 10_000 + first + index;
        if length == 17 {
            return format!("prev_pid != {}", 20_000 + number);
        }
        let each = (0..(length - 17) / 21).map(|n| format!("next_pid == {}", number + 10 * n));
        let last = format!("prev_pid == {number}");
        format!("({})", each.chain([last]).collect::<Vec<_>>().join(" || "))
    };
    lengths.iter().enumerate().map(part).collect::<Vec<_>>().join(" && ")
}

fn runs(object: &Value) -> Vec<&str> {
    let conjuncts = object["events"][0]["record"]["conjuncts"].as_array().expect("conjuncts");
    conjuncts.iter().map(|each| each["runs"].as_str().expect("a word")).collect()
}

#[test]
fn the_kernel_takes_what_fits_in_the_order_of_the_text() {
    // 17 + 21 * 96 = 2033 bytes, and two for the parentheses.
    let (half, quarter) = (2033, 17 + 21 * 48);
    for (lengths, expected) in [
        (&[half][..], &["kernel"][..]),
        (&[half, half], &["kernel", "kernel"]),
        (&[half, half, 17], &["kernel", "kernel", "kernel"]),
        (&[half, half, 38], &["kernel", "kernel", "host"]),
        (&[half, half, quarter, 17], &["kernel", "kernel", "host", "kernel"]),
        (&[half, quarter, half, quarter, 17], &["kernel", "kernel", "host", "host", "kernel"]),
        (&[17 + 21 * 195, 17], &["host", "kernel"]),
    ] {
        let session = format!("sched:sched_switch if {}", conjuncts(0, lengths));
        let object = object(&["-e", &session]);
        assert_eq!(runs(&object), expected, "{lengths:?}");
        let written = &object["events"][0]["record"]["written"];
        let length = written["length"].as_u64().expect("a number");
        assert_eq!(length as usize, written["text"].as_str().expect("a text").len());
        assert!(length <= 4095, "{length}");
    }
}

#[test]
fn what_only_the_kernel_can_decide_has_its_room_first() {
    let half = conjuncts(0, &[2033, 2033]);
    let session = format!("sched:sched_switch if {half} && current.comm == \"a-rather-long-1\"");
    assert_eq!(runs(&object(&["-e", &session])), ["kernel", "host", "kernel"]);
    let session =
        format!("trace sched:sched_switch if {half} {{ filter in kernel {}; }}", conjuncts(5, &[2033]));
    assert_eq!(runs(&object(&["-e", &session])), ["kernel", "host", "kernel"]);
}

#[test]
fn what_must_be_in_the_kernel_and_does_not_fit_is_refused() {
    let long = conjuncts(0, &[2033, 2033, 2033]);
    for session in [
        format!("trace sched:sched_switch {{ filter in kernel {long}; }}"),
        format!("on sched:sched_switch if {long} {{ trigger traceoff once; }}"),
    ] {
        let output = explain(&["-e", &session]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        assert!(stderr(&output).contains("error[T0402]") && stdout(&output).contains("refused"));
        assert_eq!(stderr(&output).matches("error[").count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn each_kernel_and_each_session_is_explained() {
    let text = "session a { trace sched:sched_switch; }\nsession b { trace sched:sched_wakeup if prio < 3; }";
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("two.trc");
    std::fs::write(&path, text).expect("written");
    let path = path.to_str().expect("UTF-8");
    let both = stdout(&explain(&[path, "--kernel", "6.1"]));
    let heads: Vec<&str> = both.lines().filter(|line| line.starts_with("for ")).collect();
    assert_eq!(heads.len(), 4, "{both}");
    assert!(heads[0].contains("6.12") && heads[2].contains("6.1."), "{heads:?}");
    let one = stdout(&explain(&[&format!("{path}#b")]));
    assert!(one.starts_with("session b ") && !one.contains("sched_switch"), "{one}");
    let none = explain(&[&format!("{path}#c")]);
    assert!(none.stdout.is_empty() && stderr(&none).contains("T0110"), "{}", stderr(&none));
}

#[test]
fn a_code_is_no_file() {
    let page = stdout(&explain(&["T0404"]));
    assert!(page.starts_with("# T0404: no-place\n"), "{page}");
    let named = stdout(&explain(&["no-place"]));
    assert_eq!(page, named);
    let missing = explain(&["missing.trc"]);
    assert!(stderr(&missing).contains("T0513") || stderr(&missing).contains("missing.trc"), "{missing:?}");
}

#[test]
fn the_book_lists_the_classes_of_cost() {
    let chapter = std::fs::read_to_string(root().join("book/src/places.md")).expect("readable");
    let rows: Vec<&str> = chapter
        .lines()
        .skip_while(|line| !line.starts_with("| class |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    let expected =
        tracec_compiler::place::cost::CLASSES.map(|class| format!("| `{}` | {} |", class.name, class.doc));
    assert_eq!(rows, expected);
}

/// The constants of `std::gfp` for 6.18, whose source Debian does not have, are those that the profile's event prints.
#[test]
fn constants_of_a_print_format_are_those_that_it_has() {
    let library = std::fs::read_to_string("stdlib/gfp/6.18.trc").expect("a file of the tree");
    let names = library.lines().filter_map(|line| {
        let name = line.trim_start().trim_start_matches("const ").split([' ', ':']).next()?;
        (line.contains(" = 0x") && name.contains("GFP_")).then_some(name)
    });
    let names: Vec<&str> = names.collect();
    assert_eq!(names.len(), 34);
    // Each with another number beside it, so that no two are joined.
    let filter = |prefix: &str| {
        let each = names.iter().enumerate();
        let each = each.map(|(index, name)| format!("gfp_flags == {prefix}{name} && bytes_req == {index}"));
        let condition = each.collect::<Vec<_>>().join(" || ");
        let event = format!("kmem:kmalloc if {condition}");
        let output = explain_for("6.18", &["--json", "-e", &event]);
        let said: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        said["events"][0]["record"]["written"]["text"].as_str().expect("a filter").to_owned()
    };
    assert_eq!(filter("std::gfp::"), filter(""));
}

#[test]
fn machine_code_is_that_of_what_the_host_decides() {
    let of = |condition: &str| {
        stdout(&explain(&["--asm", "-e", &format!("trace sched:sched_switch if {condition}")]))
    };
    let code = of("prev_pid % 7 == 1");
    assert!(code.contains("\nmachine code for sched:sched_switch\n  prev_pid % 7 == 1\n"), "{code}");
    let none = of("prev_pid == 1");
    assert!(none.ends_with("\nno machine code: the host decides nothing\n"), "{none}");
}

#[test]
fn what_is_shown_of_records_is_said_per_event() {
    let explained = object(&["tests/explain/shown.trc"]);
    let events = explained["events"].as_array().expect("events");
    let shown = |event: &str| {
        let found = events.iter().find(|found| found["event"] == event).expect("the event");
        found["shown"].clone()
    };
    assert_eq!(
        shown("sched:sched_switch"),
        serde_json::json!({
            "text": "session",
            "template": "\"{prev_pid} -> {next_pid}\"",
            "left_out": ["prev_comm"],
            "blanked": ["next_comm"],
        })
    );
    let exec = shown("sched:sched_process_exec");
    assert_eq!(
        (&exec["text"], &exec["left_out"]),
        (&"fields".into(), &serde_json::json!(["old_pid", "filename"]))
    );
    assert_eq!(shown("sched:sched_process_exit")["text"], "kernel");
    assert_eq!(shown("sched:sched_wakeup"), Value::Null);
    assert_eq!(object(&["-e", "sched:sched_switch"])["events"][0]["shown"], Value::Null);
}
