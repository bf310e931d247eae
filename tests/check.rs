//! `tracec check`: forms of output, standard output and standard error, `--fix`, levels of lints.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A text with two mistakes that have one meaning each, and one whose fix is a guess.
const WRONG: &str =
    "session s {\n    trace sched:sched_switch if prev_prio = 5 && prev_com == \"a\";\n    clock mono\n}\n";

/// The same, with the certain ones fixed.
const CERTAIN: &str =
    "session s {\n    trace sched:sched_switch if prev_prio == 5 && prev_com == \"a\";\n    clock mono;\n}\n";

/// The same, with all of them fixed.
const RIGHT: &str = "session s {\n    trace sched:sched_switch if prev_prio == 5 && prev_comm == \"a\";\n    clock mono;\n}\n";

/// A lint that is a warning, as an expression.
const WARNING: &str = "sched:sched_wakeup if comm == \"a\"";

fn check(args: &[&str], input: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args([&["check", "--kernel", "tests/data/kernel"], args].concat());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("tracec starts");
    // A run that is refused for its options ends without reading.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("tracec ends")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn status(output: &Output) -> Option<i32> {
    output.status.code()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Writes a file for one test.
fn file(content: &str) -> (tempfile::TempDir, String) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("a.trc");
    std::fs::write(&path, content).expect("written");
    let path = path.to_str().expect("UTF-8").to_owned();
    (dir, path)
}

fn content(path: &str) -> String {
    std::fs::read_to_string(path).expect("readable")
}

#[test]
fn people_read_standard_error_and_programs_standard_output() {
    let (_dir, path) = file(CERTAIN);
    let short = check(&[&path, "--format", "short"], "");
    let line = format!("{path}:2:51: error[T0102]: `sched:sched_switch` has no field `prev_com`\n");
    assert_eq!((status(&short), stdout(&short), stderr(&short)), (Some(1), "", line.as_str()));
    let json = check(&[&path, "--format", "json"], "");
    let said = objects(stdout(&json));
    assert_eq!((status(&json), said.len(), stderr(&json)), (Some(1), 1, ""));
    assert_eq!((&said[0]["code"], &said[0]["place"]["start"]["offset"]), (&"T0102".into(), &62.into()));
    let lsp = check(&[&path, "--format", "lsp"], "");
    let said = objects(stdout(&lsp));
    assert_eq!((status(&lsp), said.len(), stderr(&lsp)), (Some(1), 1, ""));
    assert_eq!(said[0]["uri"], format!("file://{path}"));
    assert_eq!(said[0]["diagnostics"][0]["range"]["start"]["character"], 50);
}

#[test]
fn without_mistakes_programs_get_no_sentence() {
    let (_dir, path) = file(RIGHT);
    for (format, lines) in [("text", 1), ("short", 1), ("json", 0), ("lsp", 1)] {
        let output = check(&[&path, "--format", format], "");
        assert_eq!((status(&output), stdout(&output).lines().count()), (Some(0), lines), "{format}");
        assert_eq!(stderr(&output), "", "{format}");
    }
}

#[test]
fn what_concerns_no_text_has_the_form_too() {
    let missing = check(&["/nowhere.trc", "--format", "json"], "");
    assert_eq!((status(&missing), stderr(&missing)), (Some(1), ""));
    assert_eq!(objects(stdout(&missing))[0]["code"], "T0514");
    assert!(objects(stdout(&missing))[0]["place"].is_null());
    let short = check(&["/nowhere.trc", "--format", "short"], "");
    assert!(stderr(&short).starts_with("tracec: error[T0514]: "), "{}", stderr(&short));
}

#[test]
fn fix_mends_what_is_certain_and_tells_the_rest() {
    let (dir, path) = file(WRONG);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("own file");
    let output = check(&[&path, "--fix", "--format", "short"], "");
    assert_eq!((status(&output), content(&path).as_str()), (Some(1), CERTAIN));
    assert!(stderr(&output).contains(": 2 fixes\n") && stderr(&output).contains(":2:51: error[T0102]"));
    let mode = std::fs::metadata(&path).expect("there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    let again = check(&[&path, "--fix"], "");
    assert!(stderr(&again).contains(": no fixes\n"), "{}", stderr(&again));
    let guessed = check(&[&path, "--fix", "--guess"], "");
    assert_eq!((status(&guessed), content(&path).as_str()), (Some(0), RIGHT));
    assert!(stdout(&guessed).contains("no mistakes"));
    assert_eq!(std::fs::read_dir(dir.path()).expect("readable").count(), 1, "nothing is left behind");
}

#[test]
fn fix_of_standard_input_and_expressions_is_written_to_standard_output() {
    let output = check(&["-", "--fix"], WRONG);
    assert_eq!((status(&output), stdout(&output)), (Some(1), CERTAIN));
    assert!(stderr(&output).contains("T0102"));
    let output = check(&["-", "--fix", "--guess"], WRONG);
    assert_eq!((status(&output), stdout(&output)), (Some(0), RIGHT));
    let output = check(&["-e", "sched_switch if prev_prio = 5", "--fix"], "");
    assert_eq!((status(&output), stdout(&output)), (Some(0), "sched_switch if prev_prio == 5\n"));
    let output = check(&["-", "--fix"], RIGHT);
    assert_eq!((status(&output), stdout(&output)), (Some(0), RIGHT));
}

#[test]
fn a_diff_is_shown_and_nothing_written() {
    let (dir, path) = file(WRONG);
    let output = check(&[&path, "--fix", "--diff"], "");
    assert_eq!((status(&output), content(&path).as_str()), (Some(1), WRONG));
    assert!(stderr(&output).contains("2 fixes, not written, 1 would be left"), "{}", stderr(&output));
    assert!(
        stdout(&output).starts_with(&format!("--- {path}\n+++ {path}\n@@ -1,4 +1,4 @@\n session s {{\n-"))
    );
    apply(dir.path(), stdout(&output));
    assert_eq!(content(&path), CERTAIN, "the diff makes the mended text");
    let output = check(&[&path, "--fix", "--diff"], "");
    assert_eq!((status(&output), stdout(&output)), (Some(1), ""), "a mistake is left");
    let (_dir, path) = file(RIGHT);
    assert_eq!(status(&check(&[&path, "--fix", "--diff"], "")), Some(0));
}

/// Applies a diff of `a.trc` whose one hunk is the whole text.
fn apply(dir: &Path, diff: &str) {
    let lines = diff.lines().skip(3).filter(|line| !line.starts_with('-'));
    let new: String = lines.map(|line| format!("{}\n", &line[1..])).collect();
    std::fs::write(dir.join("a.trc"), new).expect("written");
}

#[test]
fn fix_goes_through_a_link_and_refuses_what_is_no_file() {
    let (dir, path) = file(WRONG);
    let link = dir.path().join("link.trc");
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    check(&[link.to_str().expect("UTF-8"), "--fix"], "");
    assert!(std::fs::symlink_metadata(&link).expect("there").is_symlink());
    assert_eq!(content(&path), CERTAIN);
    let pipe = dir.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo of coreutils");
    assert!(made.success());
    let script = format!(
        "printf '%s' \"$1\" > {0} & exec \"$0\" check {0} --fix --kernel tests/data/kernel",
        pipe.display()
    );
    let output = Command::new("sh")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["-c", &script, env!("CARGO_BIN_EXE_tracec"), WRONG])
        .output()
        .expect("a shell");
    assert_eq!(status(&output), Some(1));
    assert!(stderr(&output).contains("error[T0509]") && stderr(&output).contains("not a regular file"));
}

#[test]
fn options_that_do_not_go_together_are_wrong_usage() {
    for args in [
        &["-", "--guess"][..],
        &["-", "--diff"],
        &["-", "--fix", "--format", "json"],
        &["-e", "a:b", "--fix", "--format", "lsp"],
        &["/nowhere.trc", "--format", "xml"],
    ] {
        let output = check(args, WRONG);
        assert_eq!((status(&output), stdout(&output)), (Some(64), ""), "{args:?}");
    }
    let (_dir, path) = file(WRONG);
    assert_eq!(status(&check(&[&path, "--fix", "--diff", "--format", "json"], "")), Some(64));
    let both = check(&[&path, "--fix", "--format", "json"], "");
    assert_eq!((status(&both), objects(stdout(&both)).len(), content(&path).as_str()), (Some(1), 1, CERTAIN));
}

#[test]
fn the_command_line_sets_the_levels_of_lints() {
    for (args, code, word) in [
        (&[][..], 0, "warning[T0211]"),
        (&["-D", "warnings"], 1, "error[T0211]"),
        (&["-D", "hidden_pseudo_field"], 1, "error[T0211]"),
        (&["--deny", "T0211", "--warn", "hidden-pseudo-field"], 0, "warning[T0211]"),
        (&["-D", "warnings", "-A", "hidden-pseudo-field"], 0, ""),
        (&["-A", "hidden-pseudo-field", "-D", "warnings"], 0, ""),
        (&["-D", "constant-condition"], 0, "warning[T0211]"),
        (&["-A", "hidden-field"], 1, "error[T0901]"),
        (&["-A", "unknown-event"], 1, "error[T0902]"),
    ] {
        let output = check(&[&["-e", WARNING], args].concat(), "");
        let said = stderr(&output).split(':').next().unwrap_or_default();
        assert_eq!((status(&output), said), (Some(code), word), "{args:?}");
    }
}

/// A session of clauses that are valid and not implemented.
const UNSUPPORTED: &str = "session s {
    scope cgroup \"a\", comm \"x\", process 9;
    ring last 10s;
    option overwrite off;
    start paused;
    marker \"x\";
    trace sched:sched_switch;
}
";

#[test]
fn check_and_explain_warn_of_what_is_not_implemented() {
    for command in ["check", "explain"] {
        let (_dir, path) = file(UNSUPPORTED);
        let mut process = Command::new(env!("CARGO_BIN_EXE_tracec"));
        process.current_dir(env!("CARGO_MANIFEST_DIR"));
        let output =
            process.args([command, "--kernel", "tests/data/kernel", &path]).output().expect("tracec runs");
        let warnings = stderr(&output).matches("warning[T0403]").count();
        assert_eq!((status(&output), warnings), (Some(0), 4), "{command}: {}", stderr(&output));
    }
    let output = check(&["-"], UNSUPPORTED);
    let last = stdout(&output).lines().last().expect("a line");
    assert!(last.ends_with(", but `run` refuses what is not implemented yet"), "{last}");
    // One of an implemented clause ends as before.
    assert!(stdout(&check(&["-e", "sched:sched_switch"], "")).ends_with(" in tests/data/kernel\n"));
}
