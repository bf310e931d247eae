//! The rules for make that `tracec build` writes, as GNU make reads them.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};

/// Names of texts and of directories. Each character that make treats specially is in one, alone and after a backslash.
const NAMES: &[&[u8]] = &[
    b"plain.trc",
    b"a b",
    b" a",
    b"a#b",
    b"a$b",
    b"$(x).trc",
    b"a:b",
    b"a::b",
    b"a|b",
    b"a%b",
    b"a%b%c",
    b"%",
    b"a*b",
    b"a?b",
    b"a[b",
    b"a[b]c",
    b"a%*b",
    b"a|*b",
    b"a*b c",
    b"a=b",
    b"a:=b",
    b"a+=b",
    b"a= =",
    b"a&",
    b"a&b",
    b"a~",
    b"\\a",
    b"a\\b",
    b"a\\\\b",
    b"a\\ b",
    b"a b\\ c",
    b"a\\#b",
    b"a\\$b",
    b"a\\:b",
    b"a\\|b",
    b"a\\%b",
    b"a\\*b",
    b"a\\[b*\\c",
    b"a\\=b",
    b"a(b).trc",
    b"a(b",
    b"copy (1).trc",
    b"{a},\"b\"'c'",
    b"!a@b^c+d<e>`f`",
    b"-a",
    b"export",
    b"include",
    b"./a:b",
    b"\xc3\xa9",
    b"a\rb",
    b"a\x0bb",
    b"a\x0cb",
    b"define",
    b"undefine",
    b"./define",
    b"a*\\%b",
];

/// Names that no form makes make read.
const REFUSED: &[&[u8]] = &[
    b"a ",
    b"a\\",
    b"a\nb",
    b"a\tb",
    b"a;b",
    b"~root",
    b"./~root",
    b".//./~root",
    b"a(b)",
    b".c",
    b"./.c",
    b"\x0ba",
    b"\x0ca",
    b"\ra",
    b"a\x0b",
    b"a\x0c",
    b"a\r",
];

fn tracec(directory: &Path, text: &OsStr, output: &OsStr) -> Output {
    let kernel = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernel");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(directory).args(["build", "--target", "plan", "--kernel"]).arg(kernel);
    command.arg("-o").arg(output).arg("--").arg(text).output().expect("tracec runs")
}

/// Writes a text into a new directory.
fn with_text(name: &OsStr) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join(name), "session s { trace sched:sched_switch; }").expect("a file");
    directory
}

/// Sets the time at which a file was modified.
fn age(file: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options().append(true).open(file).and_then(|file| file.set_modified(time)).expect("a time");
}

/// Returns whether make rebuilds the output, or what it prints if it fails.
fn rebuilds(directory: &Path, rule: &Path, output: &Path) -> Result<bool, String> {
    let text = std::fs::read(directory.join(rule)).expect("a rule");
    let end = text.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    let with_recipe = [&text[..end], b"\t@echo rebuilt\n", &text[end..]].concat();
    std::fs::write(directory.join("recipe.mk"), with_recipe).expect("a file");
    let mut make = Command::new("make");
    make.current_dir(directory).args(["-f", "recipe.mk"]);
    // make sets a variable for a goal with `=`; without a goal it takes the first target, but not one with `%`.
    if !output.as_os_str().as_bytes().contains(&b'=') {
        make.arg("--").arg(output);
    }
    let said = make.output().expect("make runs");
    let text = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
    if said.status.success() { Ok(text.contains("rebuilt")) } else { Err(text) }
}

/// Builds a text into a directory, and compares what make does before and after changes of the text.
fn is_followed_by_make(text: &OsStr, output: &OsStr) {
    let directory = with_text(text);
    let at = directory.path();
    let said = tracec(at, text, output);
    assert!(said.status.success(), "{text:?} {output:?}: {}", String::from_utf8_lossy(&said.stderr));
    let made = Path::new(output).join("s.plan.json");
    let rule = PathBuf::from(output).join("s.plan.json.d");
    let rebuilds = || rebuilds(at, &rule, &made);
    age(&at.join(text), 100);
    age(&at.join(&made), 50);
    let unchanged = rebuilds();
    age(&at.join(text), 0);
    let changed = rebuilds();
    age(&at.join(text), 100);
    std::fs::remove_file(at.join(&made)).expect("a file");
    let missing = rebuilds();
    std::fs::write(at.join(&made), "").expect("a file");
    std::fs::remove_file(at.join(text)).expect("a file");
    let removed = rebuilds();
    let rule = std::fs::read(at.join(&rule)).expect("a rule");
    assert_eq!(
        [unchanged, changed, missing, removed],
        [Ok(false), Ok(true), Ok(true), Ok(true)],
        "{text:?} {output:?}: unchanged, changed, output missing, text removed, with the rule\n{}",
        String::from_utf8_lossy(&rule)
    );
}

fn has_make() -> bool {
    let found = Command::new("make").arg("--version").output().is_ok();
    if !found {
        println!("SKIPPED: no make on this machine: cargo xtask setup");
    }
    found
}

#[test]
fn make_rebuilds_when_a_text_of_any_name_changes_and_only_then() {
    if !has_make() {
        return;
    }
    for name in NAMES {
        is_followed_by_make(OsStr::from_bytes(name), OsStr::new("out"));
    }
}

#[test]
fn make_finds_the_output_in_a_directory_of_any_name() {
    if !has_make() {
        return;
    }
    let in_directories: [&[u8]; 3] = [b"a\xff b", b"a ", b"a\\"];
    let is_wildcard = |name: &&&[u8]| name.iter().any(|byte| b"*?[".contains(byte));
    for name in NAMES.iter().filter(|name| !is_wildcard(name)).chain(&in_directories) {
        is_followed_by_make(OsStr::new("text.trc"), OsStr::from_bytes(&[b"in/", *name].concat()));
    }
}

#[test]
fn names_that_make_cannot_read_are_refused_before_anything_is_written() {
    for name in REFUSED {
        let name = OsStr::from_bytes(name);
        let directory = with_text(name);
        let said = tracec(directory.path(), name, OsStr::new("out"));
        let text = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(1), "{name:?}: {text}");
        assert!(text.contains("error[T0509]: cannot write out/s.plan.json.d: make cannot read"), "{text}");
        assert!(!directory.path().join("out").exists(), "{name:?}");
        let printed = tracec(directory.path(), name, OsStr::new("-"));
        assert!(printed.status.success(), "{name:?}: {}", String::from_utf8_lossy(&printed.stderr));
    }
}

#[test]
fn a_directory_that_make_cannot_name_is_refused() {
    for name in ["~root/x", "a;b", "a\tb", "a\nb", "a*b", "a?b", "a[b", "./~x"] {
        let directory = with_text(OsStr::new("text.trc"));
        let said = tracec(directory.path(), OsStr::new("text.trc"), OsStr::new(name));
        assert_eq!(said.status.code(), Some(1), "{name:?}");
        let text = String::from_utf8_lossy(&said.stderr);
        assert!(
            !text.contains('\t') && text.contains(&format!("cannot write {}/", name.escape_debug())),
            "{text}"
        );
        assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 1, "{name:?}");
    }
}

#[test]
fn built_in_rule_of_make_does_not_overwrite_a_text_with_its_script() {
    if !has_make() {
        return;
    }
    for output in [".", "../here", "{at}"] {
        let parent = tempfile::tempdir().expect("a directory");
        let at = &parent.path().join("here");
        std::fs::create_dir(at).expect("a directory");
        let session = "session s { trace sched:sched_switch; }";
        std::fs::write(at.join("s"), session).expect("a file");
        let output = output.replace("{at}", at.to_str().expect("UTF-8"));
        let mut build = Command::new(env!("CARGO_BIN_EXE_tracec"));
        build.current_dir(at).args(["build", "s", "--target", "script", "--kernel", "6.12", "-o", &output]);
        let said = build.output().expect("tracec runs");
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        age(&at.join("s"), 100);
        let said = Command::new("make").current_dir(at).args(["-r", "-f", "s.sh.d", "s"]).output();
        assert!(said.expect("make runs").status.success());
        // make has a rule that makes `s` of `s.sh`.
        let said = Command::new("make").current_dir(at).args(["-f", "s.sh.d", "s"]).output();
        let said = said.expect("make runs");
        let printed = String::from_utf8_lossy(&said.stdout);
        assert!(said.status.success(), "{output}: {printed}");
        assert_eq!(std::fs::read_to_string(at.join("s")).expect("a text"), session, "{output}: {printed}");
    }
}

#[test]
fn recipe_of_a_makefile_for_a_text_of_any_name_is_kept() {
    if !has_make() {
        return;
    }
    for text in ["made.trc", "made", "made.session"] {
        let directory = with_text(OsStr::new(text));
        let at = directory.path();
        let said = tracec(at, OsStr::new(text), OsStr::new("out"));
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        std::fs::copy(at.join("out/s.plan.json.d"), at.join("out/other.d")).expect("a copy");
        let written = format!("{text}: source\n\t@echo made\n");
        let pattern = "made%: source\n\t@echo made\n".to_owned();
        let rules = if text == "made" { vec![written] } else { vec![written, pattern] };
        for rule in rules {
            let makefile = format!("all: {text}\n{rule}include out/s.plan.json.d out/other.d\n");
            std::fs::write(at.join("Makefile"), makefile).expect("a file");
            std::fs::write(at.join("source"), "").expect("a file");
            age(&at.join(text), 100);
            let said = Command::new("make").current_dir(at).output().expect("make runs");
            let printed = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
            assert_eq!(printed, "made\n", "{text}: {rule}");
        }
    }
}

#[test]
fn ninja_reads_the_rule() {
    if Command::new("ninja").arg("--version").output().is_err() {
        println!("SKIPPED: no ninja on this machine: cargo xtask setup");
        return;
    }
    for text in ["s", "s.trc"] {
        let directory = with_text(OsStr::new(text));
        let at = directory.path();
        assert!(tracec(at, OsStr::new(text), OsStr::new("out")).status.success());
        let made = format!(
            "rule build\n  command = touch $out && echo rebuilt\n  depfile = $out.d\n\
             build out/s.plan.json: build {text}\n"
        );
        std::fs::write(at.join("build.ninja"), made).expect("a file");
        let ninja = || {
            let said = Command::new("ninja").current_dir(at).output().expect("ninja runs");
            String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned()
        };
        assert!(ninja().contains("rebuilt"), "{text}");
        let again = ninja();
        assert!(again.contains("no work to do"), "{text}: {again}");
    }
}
