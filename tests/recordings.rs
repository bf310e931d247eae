//! `tracec convert`, `split` and `dump`: what they write prints as before, here and in `trace-cmd report`, and what they
//! replace stays whole.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use serde_json::Value;

/// The same recording, as trace-cmd writes it in version 6, and in version 7 with zstd.
const VERSION_6: &str = "runtime/tests/data/small-v6.dat";
const VERSION_7: &str = "runtime/tests/data/small-v7-zstd.dat";

/// The options of every form, with what `dump` says of it.
const FORMS: [(&[&str], u64, &str); 4] = [
    (&["--file-version", "6"], 6, "none"),
    (&["--compression", "none"], 7, "none"),
    (&["--compression", "zlib"], 7, "zlib"),
    (&["--compression", "zstd"], 7, "zstd"),
];

fn tracec(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("tracec runs")
}

/// Runs a command that has to work, and returns what it prints.
fn printed(args: &[&str]) -> String {
    let output = tracec(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Runs a command that has to fail with a status, and returns what it says.
fn refused(args: &[&str], status: i32) -> String {
    let output = tracec(args);
    assert_eq!(output.status.code(), Some(status), "{args:?}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn at(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).expect("readable");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("readable").file_name().into_string().expect("UTF-8")).collect();
        names.sort();
        names
    }
}

/// Returns what `trace-cmd report` prints; `None` if it is not installed, or cannot read the file because it was built
/// without a compression.
fn peer(file: &Path) -> Option<String> {
    let output = Command::new("trace-cmd").args(["report", "-i"]).arg(file).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn dumped(file: &str) -> Value {
    serde_json::from_str(&printed(&["dump", "--json", file])).expect("JSON")
}

#[test]
fn converted_recording_has_the_form_and_prints_as_before() {
    let files = Files::new();
    for source in [VERSION_6, VERSION_7] {
        let text = printed(&["report", source]);
        assert!(text.lines().count() > 400);
        for (options, version, compression) in FORMS {
            let new = files.at("new.dat");
            printed(&[&["convert", source, "-o", &new], options].concat());
            assert_eq!(printed(&["report", &new]), text, "{options:?}");
            let dump = dumped(&new);
            assert_eq!((&dump["version"], &dump["compression"]), (&version.into(), &compression.into()));
        }
    }
    assert_eq!(files.names(), ["new.dat"]);
}

#[test]
fn compression_of_version_7_is_kept_and_a_file_may_replace_itself() {
    let files = Files::new();
    let file = files.at("a.dat");
    std::fs::copy(VERSION_6, &file).expect("copied");
    let text = printed(&["report", &file]);
    printed(&["convert", &file, "-o", &file]);
    assert_eq!(dumped(&file)["compression"], "zstd");
    for compression in ["zlib", "none"] {
        printed(&["convert", &file, "-o", &file, "--compression", compression]);
        printed(&["convert", &file, "-o", &file]);
        assert_eq!(dumped(&file)["compression"], compression);
    }
    assert_eq!(printed(&["report", &file]), text);
    assert_eq!(files.names(), ["a.dat"]);
}

#[test]
fn trace_cmd_prints_the_same_for_every_form() {
    let files = Files::new();
    let Some(text) = peer(&Path::new(env!("CARGO_MANIFEST_DIR")).join(VERSION_7)) else {
        println!("SKIPPED: trace-cmd is not installed");
        return;
    };
    assert!(text.lines().count() > 400);
    for (options, _, compression) in FORMS {
        let new = files.at("new.dat");
        printed(&[&["convert", VERSION_7, "-o", &new], options].concat());
        match peer(&files.path("new.dat")) {
            Some(other) => assert!(other == text, "{options:?}: {other}"),
            // It may be built without.
            None => assert_eq!(compression, "zlib"),
        }
    }
    let times: Vec<&str> = text.lines().filter_map(time_of).collect();
    let (from, to) = (times[100], times[300]);
    let part = files.at("part.dat");
    printed(&["split", VERSION_7, "-o", &part, "--from", from, "--to", to]);
    let within = |line: &&str| time_of(line).is_some_and(|time| (from..=to).contains(&time));
    let expected: Vec<&str> = text.lines().filter(within).collect();
    let found = peer(&files.path("part.dat")).expect("readable");
    assert_eq!(found.lines().filter(|line| time_of(line).is_some()).collect::<Vec<_>>(), expected);
}

/// Returns the time of a line of a report. All times of the recordings have as many digits.
fn time_of(line: &str) -> Option<&str> {
    line.split_whitespace().find_map(|word| {
        let word = word.strip_suffix(':')?;
        let (seconds, fraction) = word.split_once('.')?;
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        (fraction.len() == 6 && is_number(seconds) && is_number(fraction)).then_some(word)
    })
}

#[test]
fn split_takes_times_as_they_are_printed_and_durations() {
    let files = Files::new();
    let text = printed(&["report", VERSION_6]);
    let times: Vec<&str> = text.lines().filter_map(time_of).collect();
    let part = files.at("part.dat");
    for (from, to) in [(50, 300), (200, 200), (0, times.len() - 1)] {
        printed(&["split", VERSION_6, "-o", &part, "--from", times[from], "--to", times[to]]);
        let found = printed(&["report", &part]);
        let found: Vec<&str> = found.lines().filter_map(time_of).collect();
        let within = |time: &&&str| (times[from]..=times[to]).contains(*time);
        assert_eq!(found, times.iter().filter(within).copied().collect::<Vec<_>>());
        assert_eq!(dumped(&part)["version"], 6);
    }
    printed(&["split", VERSION_7, "-o", &part, "--from", "0s", "--to", "1h"]);
    assert_eq!(printed(&["report", &part]), text);
    assert_eq!(dumped(&part)["compression"], "zstd");
    let said = refused(&["split", VERSION_7, "-o", &part, "--buffer", "x"], 64);
    assert!(said.contains("no buffer `x`, but `top`"), "{said}");
    printed(&["split", VERSION_7, "-o", &part, "--buffer", ""]);
    assert_eq!(printed(&["report", &part]), text);
    printed(&["split", VERSION_7, "-o", &part, "--from", "1h"]);
    assert_eq!(printed(&["report", &part]), "");
    printed(&["split", VERSION_7, "-o", &part, "--to", "100us"]);
    assert!((1..times.len()).contains(&printed(&["report", &part]).lines().count()));
}

#[test]
fn wrong_usage_writes_nothing() {
    let files = Files::new();
    let new = files.at("new.dat");
    let said =
        refused(&["convert", VERSION_7, "-o", &new, "--file-version", "6", "--compression", "zstd"], 64);
    assert!(said.contains("version 6 has no compression"), "{said}");
    let said = refused(&["split", VERSION_7, "-o", &new], 64);
    assert!(said.contains("`--from TIME`, `--to TIME` and `--buffer NAME`"), "{said}");
    for options in [&["--from", "2", "--to", "1"], &["--from", "yesterday"][..]] {
        refused(&[&["split", VERSION_7, "-o", &new], options].concat(), 64);
    }
    for command in [&["convert"][..], &["split", "--from", "1"]] {
        let said = refused(&[command, &["README.md", "-o", &new]].concat(), 1);
        assert!(said.contains("README.md: it is not a trace.dat file"), "{said}");
        let said = refused(&[command, &[VERSION_7, "-o", "/dev/null"]].concat(), 1);
        assert!(said.contains("cannot write /dev/null: it is not a regular file"), "{said}");
    }
    assert_eq!(files.names(), [""; 0]);
}

#[test]
fn recording_is_not_replaced_by_a_part_of_it_and_not_where_it_is_read_only() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let files = Files::new();
    let (own, other) = (files.at("own.dat"), files.at("other.dat"));
    std::fs::copy(VERSION_6, &own).expect("written");
    let mode = |mode| std::fs::set_permissions(&own, PermissionsExt::from_mode(mode)).expect("own file");
    let text = printed(&["report", &own]);
    mode(0o640);
    std::fs::hard_link(&own, &other).expect("linked");
    for onto in [&own, &other] {
        let said = refused(&["split", &own, "-o", onto, "--to", "1ms"], 64);
        assert!(said.contains("is the recording itself: what is not in the part would be lost"), "{said}");
    }
    printed(&["convert", &own, "-o", &own]);
    assert_eq!(std::fs::metadata(&own).expect("there").mode() & 0o777, 0o640);
    mode(0o444);
    let split = ["split", &other, "-o", &own, "--to", "1ms"];
    let filter = ["filter", &other, "sched:sched_waking", "-o", &own];
    for command in [&["convert", &own, "-o", &own][..], &split, &filter] {
        let said = refused(command, 64);
        assert!(said.contains("own.dat is read-only: name another file behind `-o`"), "{said}");
    }
    assert_eq!(printed(&["report", &own]), text);
    assert_eq!(std::fs::metadata(&own).expect("there").mode() & 0o777, 0o444);
}

#[test]
fn range_in_which_no_record_lies_is_said_with_the_times_that_there_are() {
    let files = Files::new();
    let part = files.at("part.dat");
    let text = printed(&["report", VERSION_6]);
    let times: Vec<&str> = text.lines().filter_map(time_of).collect();
    // The first record is of an event whose layout the file lacks.
    let range = format!(" to {}", times[times.len() - 1]);
    let late = "as late as `--from 99999`";
    for file in [VERSION_6, VERSION_7] {
        for (command, options, which) in [
            (&["report", file][..], ["--from", "99999"], late),
            (&["report", file, "--follow"], ["--from", "99999"], late),
            (&["summary", file], ["--from", "99999"], late),
            (&["filter", file, "sched:sched_waking"], ["--from", "99999"], late),
            (&["split", file, "-o", &part], ["--from", "99999"], late),
            (&["report", file], ["--to", "1"], "as early as `--to 1`"),
            (&["report", file], ["--from", "2266.95s"], "with a unit a time counts from the first record"),
        ] {
            let output = tracec(&[command, &options].concat());
            let said = String::from_utf8(output.stderr).expect("UTF-8");
            assert!(output.status.success(), "{said}");
            assert_eq!(said.matches("note: ").count(), 1, "{command:?}: {said}");
            assert!(said.contains(which) && said.contains(&range), "{command:?}: {said}");
        }
        let said = tracec(&["report", file, "--from", times[0], "--to", times[0]]).stderr;
        assert!(!String::from_utf8(said).expect("UTF-8").contains("note: "));
    }
}

#[test]
fn compressed_file_is_said_with_what_unpacks_it() {
    let files = Files::new();
    for (name, bytes, says) in [
        ("x.dat.gz", &b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"[..], "compressed with gzip"),
        ("x.dat.gz", b"\x1f\x8b", "/x.dat.gz > "),
        ("x.dat", b"\x28\xb5\x2f\xfd\x04\x00", "/x.dat > NEW.dat` unpacks it"),
        ("x.xz", b"\xfd7zXZ\x00\x00\x04", "`xz -dc "),
        ("x", b"\x1f", "it is not a trace.dat file"),
    ] {
        std::fs::write(files.path(name), bytes).expect("written");
        for command in [&["report"][..], &["summary"], &["split", "--to", "1s", "-o", "/nowhere/x"]] {
            let said = refused(&[command, &[&files.at(name)]].concat(), 1);
            assert!(said.contains("[T0515]") && said.contains(says), "{said}");
        }
    }
}

#[test]
fn file_that_is_no_recording_is_said_with_what_it_is_for() {
    let files = Files::new();
    let lines = files.at("x.jsonl");
    std::fs::write(&lines, printed(&["report", VERSION_6, "--json"])).expect("written");
    let session = "examples/quickstart.trc";
    for (args, status, says) in [
        (&["summary", &lines][..], 1, "it has JSON lines, which `tracec report "),
        (&["report", session], 1, "it is a session: `tracec run examples/quickstart.trc` runs it"),
        (
            &["report", VERSION_6, "sched:sched_waking if pid == 1"],
            1,
            "tracec filter FILE 'sched:sched_waking if pid == 1'",
        ),
        (
            &["filter", "sched:sched_waking", "tests/data/quickstart.dat"],
            64,
            "tracec filter tests/data/quickstart.dat 'sched:",
        ),
        (&["filter", session, "tests/data/quickstart.dat"], 64, "the recording stands first"),
        (&["filter", VERSION_6, "sched:sched_waking", "-o", "x.txt"], 64, "`tracec report FILE > x.txt`"),
        (
            &["convert", VERSION_6, "-o", "x.jsonl"],
            64,
            "x.jsonl is a name for JSON lines, and a trace.dat file is written",
        ),
        (&["report", VERSION_6, "--cpu", "7"], 64, "no cpu `7` with records, but 0"),
        (&["report", VERSION_6, "--buffer", "x"], 64, "no buffer `x`, but `top`"),
    ] {
        let said = refused(args, status);
        assert!(said.contains(says), "{args:?}: {said}");
    }
    let output = tracec(&["report", &lines, "--from", "1h"]);
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(said.contains("note: no record of ") && said.contains("as late as `--from 1h`"), "{said}");
}

/// Returns the lines of records: the others say that some were lost.
fn records(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.contains("LOST")).collect()
}

#[test]
fn damaged_page_costs_its_records_for_every_command() {
    let files = Files::new();
    let (plain, damaged, new) = (files.at("plain.dat"), files.at("damaged.dat"), files.at("new.dat"));
    printed(&["convert", VERSION_7, "-o", &plain, "--compression", "none"]);
    let buffer = dumped(&plain)["buffers"][0]["cpus"][0].clone();
    let page = buffer["offset"].as_u64().expect("a number") as usize + 4096;
    let mut bytes = std::fs::read(&plain).expect("readable");
    // The length of what is committed.
    bytes[page + 9] = 0xff;
    std::fs::write(&damaged, &bytes).expect("written");
    let whole = printed(&["report", &plain, "-q"]);
    let whole = records(&whole);
    let said = format!("the page of cpu 0 at byte {page} is damaged");
    let output = tracec(&["report", &damaged]);
    let (text, error) =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8")).into();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("records, >0 lost") && error.contains(&said), "{error}");
    let rest = records(&text);
    let missing = whole.len() - rest.len();
    assert!((10..200).contains(&missing), "{missing} of {}", whole.len());
    assert!(rest.iter().all(|line| whole.contains(line)) && rest.last() == whole.last());

    for args in [
        &["convert", &damaged, "-o", &new, "--compression", "zstd"][..],
        &["split", &damaged, "-o", &new, "--from", "0s"],
        &["filter", &damaged, "*:*", "-o", &new],
    ] {
        let output = tracec(args);
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        // A page that is copied whole stays as it is.
        let is_copied = args[0] == "convert";
        assert_eq!(output.status.code(), Some(if is_copied { 0 } else { 1 }), "{args:?}: {error}");
        assert!(is_copied || error.contains(&said), "{args:?}: {error}");
        let output = tracec(&["report", "-q", &new]);
        assert_eq!(output.status.success(), !is_copied);
        assert_eq!(records(&String::from_utf8(output.stdout).expect("UTF-8")), rest, "{args:?}");
    }
    let summary = tracec(&["summary", "--json", &damaged]);
    let counts: Value = serde_json::from_slice(&summary.stdout).expect("JSON");
    assert_eq!((summary.status.code(), &counts["complete"]), (Some(1), &Value::Bool(false)));
    assert_eq!((&counts["records"], &counts["losses_of_unknown_size"]), (&rest.len().into(), &1.into()));
    assert!(String::from_utf8_lossy(&summary.stderr).contains(&said));
    for command in ["split", "filter"] {
        let part: &[&str] = if command == "split" { &["--from", "0s"] } else { &["*:*"] };
        let said = refused(&[&[command, &damaged], part, &["-o", &damaged]].concat(), 64);
        assert!(said.contains("is the recording itself"), "{said}");
    }
}

/// Names of tasks, texts by their addresses, and the options that name the pages.
#[test]
fn damaged_sections_that_records_can_be_read_without_are_said() {
    let files = Files::new();
    let (damaged, new) = (files.at("damaged.dat"), files.at("new.dat"));
    let sections = dumped(VERSION_7)["sections"].as_array().expect("a list").clone();
    let text = printed(&["report", "-q", VERSION_7]);
    for (name, missing, is_same) in [
        ("CMDLINES", "names of tasks are shown as `<...>`", false),
        ("PRINTK", "texts that records name by their addresses are shown as these", true),
        ("OPTIONS", "and pages of CPUs, which are numbered in the order of their pages", true),
    ] {
        let section = sections.iter().rfind(|section| section["name"] == name).expect("there");
        let offset = section["offset"].as_u64().expect("a number");
        let mut bytes = std::fs::read(VERSION_7).expect("readable");
        // Behind the head of the section, and the sizes of a compressed one.
        let at = offset as usize + 16 + if section["compressed"] == true { 8 } else { 0 };
        bytes[at..at + 6].fill(0xff);
        std::fs::write(&damaged, bytes).expect("written");
        let output = tracec(&["report", &damaged]);
        let [shown, said] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains(missing) && said.contains("at byte "), "{name}: {said}");
        assert_eq!(shown == text, is_same, "{name}");
        assert_eq!(records(&shown).len(), records(&text).len(), "{name}");
        for args in [&["convert"][..], &["split", "--from", "0s"], &["filter", "*:*"]] {
            let (command, options) = args.split_at(1);
            let (file, options) = if command == ["filter"] {
                (&[&*damaged, "*:*"][..], &[][..])
            } else {
                (&[&*damaged][..], options)
            };
            let said = refused(&[command, file, options, &["-o", &new]].concat(), 1);
            assert!(said.contains(missing), "{name} {args:?}: {said}");
            assert_eq!(records(&printed(&["report", "-q", &new])), records(&shown), "{name} {args:?}");
        }
        for command in ["summary", "dump"] {
            let output = tracec(&[command, &damaged]);
            assert!(!output.stdout.is_empty() && output.status.code() == Some(1), "{name} {command}");
            assert!(String::from_utf8_lossy(&output.stderr).contains(missing), "{name} {command}");
        }
    }
}

#[test]
fn pages_that_a_file_lacks_cost_their_records() {
    let files = Files::new();
    let (cut, new) = (files.at("cut.dat"), files.at("new.dat"));
    let bytes = std::fs::read(VERSION_6).expect("readable");
    std::fs::write(&cut, &bytes[..bytes.len() - 5000]).expect("written");
    for options in [&["convert"][..], &["split", "--from", "0s"]] {
        let said = refused(&[options, &[&cut, "-o", &new]].concat(), 1);
        assert!(said.contains("[T0515]") && said.contains("it ends within"), "{said}");
        let output = tracec(&["report", "-q", &cut]);
        assert_eq!(output.status.code(), Some(1));
        let rest = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(records(&rest).len() > 100);
        assert_eq!(records(&printed(&["report", "-q", &new])), records(&rest));
    }
    // It would be replaced by what is left of it.
    let said = refused(&["convert", &cut, "-o", &cut], 64);
    assert!(said.contains("what cannot be read of it would be lost"), "{said}");
    assert_eq!(files.names(), ["cut.dat", "new.dat"]);
}

/// Returns the offset of the symbols.
fn symbols() -> usize {
    let sections = dumped(VERSION_7)["sections"].as_array().expect("a list").clone();
    let symbols = sections.iter().find(|section| section["name"] == "KALLSYMS").expect("there");
    symbols["offset"].as_u64().expect("a number") as usize
}

#[test]
fn damaged_symbols_are_left_out_and_the_records_are_kept() {
    let files = Files::new();
    let (damaged, new) = (files.at("damaged.dat"), files.at("new.dat"));
    let mut bytes = std::fs::read(VERSION_7).expect("readable");
    // Behind the head of the section and its sizes.
    let at = symbols() + 16 + 8;
    bytes[at..at + 4].fill(0xff);
    std::fs::write(&damaged, bytes).expect("written");
    let event = "sched:sched_stat_runtime";
    let text = printed(&["report", VERSION_7, "--event", event]);
    for (args, version) in [
        (&["convert", &damaged, "-o", &new][..], 7),
        (&["convert", &damaged, "-o", &new, "--file-version", "6"], 6),
        (&["split", &damaged, "-o", &new, "--from", "0s"], 7),
        (&["filter", &damaged, event, "-o", &new], 7),
    ] {
        let output = tracec(args);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
        assert!(said.contains("note: the section KALLSYMS is left out"), "{args:?}: {said}");
        assert_eq!(dumped(&new)["version"], version);
        assert_eq!(printed(&["report", &new, "--event", event]), text, "{args:?}");
    }
    let said = refused(&["convert", &damaged, "-o", &damaged], 64);
    assert!(said.contains("the section KALLSYMS would be lost"), "{said}");
}

/// The size that a section becomes is not believed.
#[test]
fn symbols_that_claim_gigabytes_are_left_out() {
    let files = Files::new();
    let (damaged, new) = (files.at("damaged.dat"), files.at("new.dat"));
    let at = symbols() + 16;
    // What is stored, and what it becomes.
    for (at, said) in [(at, "it ends within"), (at + 4, "would become 4294967295 bytes")] {
        let mut bytes = std::fs::read(VERSION_7).expect("readable");
        bytes[at..at + 4].fill(0xff);
        std::fs::write(&damaged, bytes).expect("written");
        // With 1 GiB of addresses it could not be reserved.
        let script = "ulimit -v 1048576; exec \"$0\" \"$@\"";
        let mut command = Command::new("sh");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["-c", script, env!("CARGO_BIN_EXE_tracec")]);
        let output = command.args(["convert", &damaged, "-o", &new]).output().expect("a shell");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && error.contains(said), "{error}");
        let event = "sched:sched_stat_runtime";
        let [of_new, of_old] = [&*new, VERSION_7].map(|file| printed(&["report", file, "--event", event]));
        assert_eq!(of_new, of_old);
    }
}

#[test]
fn link_stays_where_a_recording_is_written_to_what_it_leads_to() {
    let files = Files::new();
    let link = files.at("link.dat");
    std::fs::create_dir(files.path("there")).expect("made");
    std::os::unix::fs::symlink("there/new.dat", &link).expect("a link");
    // First there is no file yet, then there is one.
    for args in
        [&["convert", VERSION_7][..], &["split", VERSION_7, "--from", "0s"], &["filter", VERSION_7, "*:*"]]
    {
        let old = std::fs::metadata(&link).ok().map(|found| found.modified().expect("a time"));
        printed(&[args, &["-o", &link]].concat());
        assert!(Path::new(&link).is_symlink());
        assert!(files.path("there/new.dat").is_file());
        assert_ne!(std::fs::metadata(&link).ok().map(|found| found.modified().expect("a time")), old);
    }
    assert_eq!(files.names(), ["link.dat", "there"]);
}

#[test]
fn recording_that_is_named_twice_is_refused() {
    let files = Files::new();
    let link = files.at("link.dat");
    std::os::unix::fs::symlink(std::fs::canonicalize(VERSION_7).expect("there"), &link).expect("a link");
    let said = refused(&["report", VERSION_7, VERSION_6, VERSION_7], 64);
    assert!(
        said.contains("small-v7-zstd.dat is named twice: each of its records would be there twice"),
        "{said}"
    );
    let said = refused(&["report", VERSION_7, &link], 64);
    assert!(said.contains("are the same file"), "{said}");
    let said = refused(&["filter", "-e", "trace *:*;", VERSION_7, VERSION_7], 64);
    assert!(said.contains("is named twice"), "{said}");
}

/// Each message says what to type, and that works.
#[test]
fn what_messages_of_recordings_offer_works() {
    let files = Files::new();
    let new = files.at("new.dat");
    let of = |args: &[&str], status: i32, hint: &str| {
        let said = refused(args, status);
        assert!(said.contains(hint), "{args:?}: {said}");
    };
    of(&["split", VERSION_7, "-o", &new, "--buffer", "other"], 64, "no buffer `other`, but `top`");
    printed(&["split", VERSION_7, "-o", &new, "--buffer", "top"]);
    assert_eq!(printed(&["report", "-q", &new]), printed(&["report", "-q", VERSION_7]));

    of(&["split", VERSION_7, "100ms", "200ms", "-o", &new], 64, "-o NEW.dat --from 100ms --to TIME");
    of(&["report", VERSION_7, "1ms"], 1, "times are named: `--from 1ms --to TIME`");
    printed(&["split", VERSION_7, "-o", &new, "--from", "1ms", "--to", "2ms"]);

    // The shell has taken the rest of `pid > 5` for a file.
    of(
        &["filter", VERSION_7, "pid"],
        1,
        "tracec filter runtime/tests/data/small-v7-zstd.dat 'sched:sched_waking if pid > 5'",
    );
    of(&["filter", VERSION_7, "common_pid"], 1, "'*:* if current.pid > 5'");
    of(&["filter", VERSION_7, "next_comm"], 1, "'sched:sched_switch if next_comm == \"...\"'");
    of(&["filter", VERSION_7, "nothing"], 1, "there is no event `nothing`");
    for condition in ["sched:sched_waking if pid > 5", "*:* if current.pid > 5"] {
        assert!(!printed(&["filter", VERSION_7, condition]).is_empty());
    }
    let two = ["report", "-q", VERSION_7, "--event", "sched_switch", "--event", "sched_waking"];
    of(&["report", VERSION_7, "--event", "sched_switch,sched_waking"], 64, &two[3..].join(" "));
    assert!(!printed(&two).is_empty());

    let first = printed(&["report", "-q", VERSION_7, "--task", "busy"]);
    let task = first.split_whitespace().next().expect("a task");
    let pid = task.strip_prefix("busy-").expect("its id");
    of(
        &["report", VERSION_7, "--task", task],
        64,
        &format!("by its id: `--task {pid}`, or by its name: `--task busy`"),
    );
    assert!(!printed(&["report", "-q", VERSION_7, "--task", pid]).is_empty());

    of(&["report", VERSION_7, "--limit", "5"], 64, "`tracec report FILE | head -n 20`");
    of(&["summary", VERSION_7, "--limit", "5"], 64, "`--top N`");
    printed(&["summary", VERSION_7, "--top", "5"]);
    of(&["report", "-"], 1, "standard input is not read");
    of(
        &["merge", VERSION_7, VERSION_6],
        64,
        "`tracec report FILE FILE` shows the records of several recordings",
    );
}

#[test]
fn file_that_cannot_grow_is_reported_and_nothing_is_left() {
    let files = Files::new();
    let old = files.at("old.dat");
    std::fs::write(&old, "old").expect("written");
    // As on a full disk, and for users who are not root too: 16 blocks of 512 bytes.
    let script = "trap '' XFSZ; ulimit -f 16; exec \"$0\" \"$@\"";
    for options in [&["convert"][..], &["split", "--from", "0s"]] {
        let mut command = Command::new("sh");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["-c", script, env!("CARGO_BIN_EXE_tracec")]);
        let output = command.args(options).args([VERSION_6, "-o", &old]).output().expect("a shell");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("[T0509]") && said.contains("old.dat: File too large"), "{said}");
        assert!(
            said.contains("nothing of it is left, and runtime/tests/data/small-v6.dat has all"),
            "{said}"
        );
        assert_eq!(std::fs::read(&old).expect("readable"), b"old");
    }
    assert_eq!(files.names(), ["old.dat"]);
}

#[test]
fn dump_lists_sections_options_and_pages() {
    let text = printed(&["dump", VERSION_7]);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert!(text.starts_with("trace.dat version 7, compression zstd ("), "{text}");
    let has = |words: &[&str]| lines.iter().any(|line| line.starts_with(words));
    for name in ["HEADER_INFO", "FTRACE_EVENTS", "EVENT_FORMATS", "CMDLINES", "OPTIONS", "BUFFER"] {
        assert!(has(&[name]), "{name}: {text}");
    }
    assert!(text.contains("buffer of the top level, clock local, pages of 4,096 bytes"), "{text}");
    let dump = dumped(VERSION_7);
    let size = std::fs::metadata(VERSION_7).expect("readable").len();
    assert_eq!(dump["bytes"], size);
    let cpus = dump["buffers"][0]["cpus"].as_array().expect("a list");
    assert_eq!(cpus.len(), 2);
    let pages = |dump: &Value| -> Vec<Value> {
        dump["buffers"][0]["cpus"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|cpu| cpu["pages"].clone())
            .collect()
    };
    assert_eq!(pages(&dump), pages(&dumped(VERSION_6)), "the twin has as many");
    // What it lists is where it says.
    let bytes = std::fs::read(VERSION_7).expect("readable");
    for section in dump["sections"].as_array().expect("a list") {
        let offset = section["offset"].as_u64().expect("a number") as usize;
        assert_eq!(u64::from(bytes[offset]), section["id"].as_u64().expect("a number"), "{section}");
    }
}

/// Runs a command with standard error, and standard output too if asked for, at a terminal. Returns what it prints elsewhere,
/// and what the terminal gets.
fn at_terminal(args: &[&str], output_too: bool, environment: &[(&str, &str)]) -> (String, String) {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags).expect("a terminal");
    unlockpt(&master).expect("unlocked");
    let slave = ioctl_tiocgptpeer(&master, flags).expect("its other end");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).stdin(Stdio::null()).stdout(Stdio::piped());
    command.env_remove("NO_COLOR").env("TERM", "xterm").envs(environment.iter().copied());
    if output_too {
        command.stdout(slave.try_clone().expect("another descriptor"));
    }
    let child = command.stderr(slave).spawn().expect("tracec runs");
    // The command holds the other end: without it the terminal ends when the child does.
    drop(command);
    let reader = std::thread::spawn(move || {
        let (mut master, mut shown, mut bytes) = (File::from(master), Vec::new(), [0; 4096]);
        // The end of a terminal is an error.
        while let Ok(1..) = master.read(&mut bytes).inspect(|&count| shown.extend_from_slice(&bytes[..count]))
        {
        }
        String::from_utf8(shown).expect("UTF-8")
    });
    let output = child.wait_with_output().expect("it ends");
    let shown = reader.join().expect("the terminal is read");
    assert!(output.status.success(), "{args:?}: {shown}");
    (String::from_utf8(output.stdout).expect("UTF-8"), shown)
}

#[test]
fn progress_is_shown_on_a_terminal_and_gone_at_the_end() {
    let files = Files::new();
    let new = files.at("new.dat");
    let condition = "sched:sched_switch if next_pid > 0";
    for args in [
        &["convert", VERSION_7, "-o", &new][..],
        &["split", VERSION_7, "-o", &new, "--from", "0s", "--to", "1s"],
        &["filter", VERSION_7, condition, "-o", &new],
        &["filter", VERSION_7, condition],
        &["summary", VERSION_7],
        &["report", VERSION_7],
    ] {
        let (plain, shown) = at_terminal(args, false, &[]);
        assert!(shown.starts_with("\rsmall-v7-zstd.dat  0 %  0 MB/s\x1b[K"), "{args:?}: {shown:?}");
        let (_, behind) = shown.rsplit_once("\r\x1b[K").expect("a cleared line");
        assert!(!behind.contains('%'), "{args:?}: {shown:?}");
        let (quiet, nothing) = at_terminal(&[args, &["--quiet"]].concat(), false, &[]);
        assert_eq!((quiet, nothing.as_str()), (plain, ""), "{args:?}");
        let (_, shown) = at_terminal(args, false, &[("TERM", "dumb")]);
        assert!(!shown.contains('%'), "{args:?}: {shown:?}");
    }
    // Records on the same terminal have it to themselves.
    let (_, shown) = at_terminal(&["report", VERSION_7], true, &[]);
    assert!(!shown.contains(" MB/s"), "{shown:?}");
    let output = tracec(&["convert", VERSION_7, "-o", &new]);
    assert!(!String::from_utf8_lossy(&output.stderr).contains('%'));
}

/// Returns a text without what sets colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('m').expect("the end of a colour").1)
}

#[test]
fn report_has_colours_on_a_terminal_or_where_they_are_asked_for() {
    for layout in
        [&["--layout", "kernel"][..], &["--layout", "function_graph"], &["--option", "latency-format"]]
    {
        let report = [&["report", VERSION_7], layout].concat();
        let plain = printed(&report);
        let coloured = printed(&[report.as_slice(), &["--color", "always"]].concat());
        assert!(coloured.contains("\x1b[1m") && !plain.contains('\x1b'), "{layout:?}");
        assert_eq!(without_colours(&coloured), plain, "{layout:?}");
    }
    let report = ["report", VERSION_7, "--quiet"];
    let plain = printed(&report);
    let (_, shown) = at_terminal(&report, true, &[]);
    assert!(shown.contains("\x1b[36m"));
    assert_eq!(without_colours(&shown.replace("\r\n", "\n")), plain);
    for (more, environment) in [(&[][..], &[("NO_COLOR", "1")][..]), (&["--color", "never"], &[])] {
        let (_, shown) = at_terminal(&[&report[..], more].concat(), true, environment);
        assert_eq!(shown.replace("\r\n", "\n"), plain);
    }
    // The lines of another program are its lines.
    let of_trace_cmd = ["report", VERSION_7, "--layout", "trace-cmd-3.1"];
    assert_eq!(printed(&[&of_trace_cmd[..], &["--color", "always"]].concat()), printed(&of_trace_cmd));
}

#[test]
fn pipe_in_place_of_a_file_is_refused_by_every_command() {
    let files = Files::new();
    let new = files.at("new.dat");
    let recorded = std::fs::read(VERSION_6).expect("a recording");
    for args in [
        &["report", "/dev/stdin"][..],
        &["report", "/dev/stdin", "--follow"],
        &["filter", "/dev/stdin", "sched:sched_switch"],
        &["filter", "/dev/stdin", "sched:sched_switch", "-o", &new],
        &["summary", "/dev/stdin"],
        &["convert", "/dev/stdin", "-o", &new],
        &["split", "/dev/stdin", "-o", &new, "--from", "1s"],
        &["dump", "/dev/stdin"],
    ] {
        let (reader, mut writer) = std::io::pipe().expect("a pipe");
        writer.write_all(&recorded[..4096]).expect("room in the pipe");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        let output = command.args(args).stdin(reader).output().expect("tracec runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{args:?}: {said}");
        assert!(said.contains("/dev/stdin: it is a pipe"), "{args:?}: {said}");
        assert!(said.contains("write it to a file first"), "{args:?}: {said}");
        drop(writer);
    }
    assert!(files.names().is_empty(), "{:?}", files.names());
}

#[test]
fn file_that_grows_while_it_is_read_has_the_records_of_its_head() {
    let files = Files::new();
    for source in [VERSION_6, VERSION_7] {
        let (file, new) = (files.at("grows.dat"), files.at("new.dat"));
        std::fs::copy(source, &file).expect("copied");
        let runs: [&[&str]; 4] = [
            &["report", &file, "--quiet"],
            &["filter", &file, "sched:sched_waking if pid % 2 == 0", "--quiet"],
            &["summary", &file],
            &["report", &file, "--json", "--text", "--quiet"],
        ];
        let before = runs.map(printed);
        let (begun, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut end = OpenOptions::new().append(true).open(&file).expect("the file");
                // Pages that look like those of the recording, and belong to nothing.
                let more = std::fs::read(source).expect("a recording");
                while !is_over.load(Ordering::Relaxed) {
                    match end.write_all(&more) {
                        Err(error) if error.kind() == ErrorKind::StorageFull => break,
                        written => written.expect("written"),
                    }
                    begun.store(true, Ordering::Relaxed);
                    std::thread::yield_now();
                }
            });
            while !begun.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            assert_eq!(runs.map(printed), before, "{source}");
            printed(&["convert", &file, "-o", &new]);
            is_over.store(true, Ordering::Relaxed);
        });
        assert_eq!(printed(&["report", &new, "--quiet"]), before[0], "{source}");
    }
}
