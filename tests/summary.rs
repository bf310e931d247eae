//! `tracec summary`: its numbers are those of the records that `report` prints.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use tracec_runtime::record::{Compression, Head, TraceDat, Writer, option};

const VERSION_6: &str = "runtime/tests/data/small-v6.dat";
const VERSION_7: &str = "runtime/tests/data/small-v7-zstd.dat";
const QUICKSTART: &str = "tests/data/quickstart.dat";

/// The offset of the first page in [`VERSION_6`].
const FIRST_PAGE: usize = 2 * 4096;

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

/// Returns the object that a summary is.
fn summary(args: &[&str], status: i32) -> Value {
    let (text, _) = both(&[&["summary", "--json", "--top", "1000"], args].concat(), status);
    serde_json::from_str(&text).expect("JSON")
}

/// Returns the records that `report` prints, and the losses.
fn reported(args: &[&str], status: i32) -> (Vec<Value>, Vec<Value>) {
    let (text, _) = both(&[&["report", "--json"], args].concat(), status);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.partition(|line| line["event"].is_string())
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// Returns how many records there are of each value.
fn counts(records: &[Value], of: impl Fn(&Value) -> String) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    records.iter().for_each(|record| *counts.entry(of(record)).or_default() += 1);
    counts
}

/// Returns the counts of a list, which has to begin with the largest.
fn listed(list: &Value, of: impl Fn(&Value) -> String) -> BTreeMap<String, u64> {
    let list = list.as_array().expect("a list");
    assert!(list.is_sorted_by_key(|entry| std::cmp::Reverse(number(&entry["records"]))), "{list:?}");
    list.iter().map(|entry| (of(entry), number(&entry["records"]))).collect()
}

fn event(value: &Value) -> String {
    value["event"].as_str().expect("a name").to_owned()
}

fn task(value: &Value) -> String {
    format!("{}-{}", value["comm"].as_str().expect("a name"), value["pid"])
}

/// Compares the counts of a summary with the records that `report` prints.
fn agrees(args: &[&str], status: i32) -> Value {
    let found = summary(args, status);
    let (records, losses) = reported(args, status);
    assert_eq!(number(&found["records"]), records.len() as u64, "{args:?}");
    assert_eq!(listed(&found["events"], event), counts(&records, event));
    assert_eq!(listed(&found["tasks"], task), counts(&records, task));
    assert_eq!(found["all_events"], found["events"].as_array().expect("a list").len());
    assert_eq!(found["all_tasks"], found["tasks"].as_array().expect("a list").len());
    let lost = |losses: &mut dyn Iterator<Item = &Value>| -> u64 {
        losses.filter(|loss| loss["lost"].is_u64()).map(|loss| number(&loss["lost"])).sum()
    };
    assert_eq!(number(&found["lost"]), lost(&mut losses.iter()));
    let cpus = found["cpus"].as_array().expect("a list");
    let of_cpus: u64 = cpus.iter().map(|cpu| number(&cpu["records"])).sum();
    assert_eq!(of_cpus, records.len() as u64);
    for cpu in cpus {
        let own = records.iter().filter(|record| record["cpu"] == cpu["cpu"]);
        assert_eq!(number(&cpu["records"]), own.count() as u64, "{cpu}");
        let own = lost(&mut losses.iter().filter(|loss| loss["cpu"] == cpu["cpu"]));
        assert_eq!(number(&cpu["lost"]), own, "{cpu}");
    }
    assert_eq!(found["complete"], status == 0);
    found
}

/// Compares the times of a summary with those of the records that `report` prints. There must be no records of unknown events,
/// which `report` leaves out.
fn times_agree(args: &[&str]) {
    let found = agrees(args, 0);
    let (records, _) = reported(args, 0);
    assert_eq!(found["unknown"], 0);
    let time = |record: &Value| number(&record["ts"]);
    let period = |records: &[&Value]| {
        let times = || records.iter().map(|record| time(record));
        // A CPU may have no records.
        times().min().zip(times().max())
    };
    let all = records.iter().collect::<Vec<_>>();
    let (first, last) = period(&all).expect("records");
    assert_eq!((number(&found["first"]), number(&found["last"])), (first, last));
    let seconds = number(&found["duration"]) as f64 / 1e9;
    let rate = found["rate"].as_f64().expect("a number");
    assert!((rate * seconds - records.len() as f64).abs() < 1e-6, "{rate}");
    let mut gaps = Vec::new();
    for cpu in found["cpus"].as_array().expect("a list") {
        let own: Vec<&Value> = records.iter().filter(|record| record["cpu"] == cpu["cpu"]).collect();
        let held = period(&own).map(|(first, last)| (first, last - first));
        assert_eq!(cpu["first"].as_u64().zip(cpu["duration"].as_u64()), held, "{cpu}");
        let pairs = own.iter().zip(own.iter().skip(1)).map(|(one, next)| (time(next) - time(one), time(one)));
        gaps.extend(pairs.filter(|(length, _)| *length > 0));
    }
    gaps.sort_by_key(|&(length, begin)| (std::cmp::Reverse(length), begin));
    let listed: Vec<(u64, u64)> = found["gaps"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|gap| (number(&gap["length"]), number(&gap["begin"])))
        .collect();
    assert!(gaps.len() > 4);
    assert_eq!(listed, gaps);
}

#[test]
fn list_of_nothing_is_refused() {
    let (_, said) = both(&["summary", VERSION_6, "--top", "0"], 64);
    assert!(said.contains("at least 1 is listed"), "{said}");
}

#[test]
fn numbers_are_those_of_the_records_that_report_prints() {
    for file in [VERSION_6, VERSION_7] {
        let found = agrees(&[file], 0);
        let (_, said) = both(&["report", file], 0);
        let unknown = said.split(", ").last().and_then(|text| text.split(' ').next()).expect("a number");
        assert_eq!(found["unknown"].to_string(), unknown);
        // Those of unknown events are left out where events are selected.
        times_agree(&[file, "--event", "sched*"]);
        times_agree(&[file, "--event", "sys_*", "--from", "100us", "--to", "1ms"]);
    }
    times_agree(&[QUICKSTART]);
}

#[test]
fn selections_are_those_of_report() {
    for options in [
        &["--cpu", "1"][..],
        &["--task", "busy"],
        &["--buffer", "top"],
        &["--event", "sched_waking", "--no-jit"],
        &["-e", "sched:sched_waking if pid % 2 == 0"],
    ] {
        let found = agrees(&[&[VERSION_6], options].concat(), 0);
        assert!(number(&found["records"]) > 0, "{options:?}");
    }
    let none = agrees(&[VERSION_6, "-e", "sched:sched_waking if pid < 0"], 0);
    assert_eq!((&none["records"], &none["first"], &none["rate"]), (&0.into(), &Value::Null, &Value::Null));
    let (_, said) = both(&["summary", VERSION_6, "--event", "sched_wakin"], 64);
    assert!(said.contains("did you mean `sched_waking`"), "{said}");
}

#[test]
fn losses_are_counted_and_marked_in_their_gap() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("lost.dat");
    let path = file.to_str().expect("UTF-8");
    let mut bytes = std::fs::read(VERSION_6).expect("readable");
    // The second page says that records were lost before it, and in a second file how many.
    let page = FIRST_PAGE + 4096;
    let used = u64::from_le_bytes(bytes[page + 8..page + 16].try_into().expect("8 bytes"));
    bytes[page + 8..page + 16].copy_from_slice(&(used | 1 << 31).to_le_bytes());
    std::fs::write(&file, &bytes).expect("written");
    let found = agrees(&[path], 0);
    assert_eq!((&found["lost"], &found["losses_of_unknown_size"]), (&0.into(), &1.into()));
    let (text, _) = both(&["summary", path], 0);
    assert!(text.contains(", >0 lost, "), "{text}");
    let (_, said) = both(&["report", path], 0);
    assert!(said.contains(" records, >0 lost, "), "{said}");

    bytes[page + 8..page + 16].copy_from_slice(&(used | 3 << 30).to_le_bytes());
    let at = page + 16 + used as usize;
    bytes[at..at + 8].copy_from_slice(&1007_u64.to_le_bytes());
    std::fs::write(&file, &bytes).expect("written");
    let found = agrees(&[path], 0);
    assert_eq!((&found["lost"], &found["losses_of_unknown_size"]), (&1007.into(), &0.into()));
    let gaps = found["gaps"].as_array().expect("a list");
    let marked: Vec<&Value> = gaps.iter().filter(|gap| gap["lost"] == true).collect();
    assert_eq!(marked.len(), 1);
    // The gap ends with the first record of the page, whose time is that of the page.
    let page_time = u64::from_le_bytes(bytes[page..page + 8].try_into().expect("8 bytes"));
    assert_eq!(number(&marked[0]["begin"]) + number(&marked[0]["length"]), page_time);
    let (text, _) = both(&["summary", path, "--top", "1000"], 0);
    assert!(text.contains(", 1,007 lost, "), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with("  records were lost")).count(), 1, "{text}");
}

#[test]
fn text_has_the_times_and_counts_of_report() {
    let (lines, _) = both(&["report", QUICKSTART], 0);
    let time = |line: &str| -> String {
        line.split_whitespace()
            .find(|word| word.ends_with(':') && word.contains('.'))
            .map_or_else(|| panic!("{line} has a time"), |word| word.trim_end_matches(':').to_owned())
    };
    let [first, last] = [lines.lines().next(), lines.lines().last()].map(|line| time(line.expect("a line")));
    let (text, said) = both(&["summary", QUICKSTART], 0);
    assert!(text.starts_with(&format!("clock local\nfrom {first} to {last}: ")), "{text}");
    assert!(text.contains(&format!("\n{} records, ", lines.lines().count())) && said.is_empty(), "{text}");

    let (text, _) = both(&["summary", VERSION_6, "--top", "2"], 0);
    let all = summary(&[VERSION_6], 0);
    let [events, tasks] = ["all_events", "all_tasks"].map(|of| number(&all[of]) - 2);
    let others: Vec<&str> = text.lines().filter(|line| line.starts_with("and ")).collect();
    assert_eq!((events, tasks), (8, 1));
    assert_eq!(others, ["and 8 others", "and 1 other"]);
    // As the book shows it.
    let book = std::fs::read_to_string("book/src/report.md").expect("the page of the book");
    assert!(book.contains(&format!("```text\n{text}```\n")), "{text}");
}

#[test]
fn clock_that_does_not_count_nanoseconds_has_no_rates() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("clock.dat");
    let path = file.to_str().expect("UTF-8");
    let mut bytes = std::fs::read(VERSION_6).expect("readable");
    let clock = b"[local]";
    while let Some(at) = bytes.windows(clock.len()).position(|found| found == clock) {
        bytes.splice(at..at + clock.len(), *b"[other]");
    }
    std::fs::write(&file, bytes).expect("written");
    let found = agrees(&[path], 0);
    assert_eq!((&found["clock"], &found["unit"]), (&"other".into(), &"counts".into()));
    assert!(found["rate"].is_null() && found["events"][0]["rate"].is_null() && found["first"].is_u64());
    let (text, _) = both(&["summary", path], 0);
    let times = format!("from {} to {}: {}\n", found["first"], found["last"], found["duration"]);
    assert!(text.starts_with(&format!("clock other, which does not count nanoseconds\n{times}")), "{text}");
    let (head, tables) = text.split_once("\n\n").expect("tables");
    assert!(!head.contains("per second"), "{text}");
    let of_event = tables.lines().nth(1).expect("an event");
    assert!(of_event.ends_with(" -") && tables.contains("counts held"), "{text}");
}

#[test]
fn damaged_recording_is_counted_without_the_damaged_page() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("damaged.dat");
    let path = file.to_str().expect("UTF-8");
    let mut bytes = std::fs::read(VERSION_6).expect("readable");
    // A page has more bytes than its size.
    bytes[FIRST_PAGE + 4096 + 9] = 0xff;
    std::fs::write(&file, bytes).expect("written");
    // Without threads, so that both read in one order.
    let one = |args: &[&str]| {
        let mut command = Command::new("taskset");
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["-c", "0", env!("CARGO_BIN_EXE_tracec")]);
        command.args(args).output().expect("taskset runs")
    };
    let shown = one(&["report", path]);
    let lines = String::from_utf8(shown.stdout).expect("UTF-8").lines().count();
    assert!(lines > 0 && shown.status.code() == Some(1), "{lines}");
    let found = one(&["summary", "--json", path]);
    assert_eq!(found.status.code(), Some(1));
    let said = String::from_utf8(shown.stderr).expect("UTF-8");
    let (counts, damage) = said.split_once('\n').expect("two lines");
    assert_eq!(damage, String::from_utf8(found.stderr).expect("UTF-8"));
    let found: Value = serde_json::from_slice(&found.stdout).expect("JSON");
    // One line says that records were lost.
    assert_eq!((&found["records"], &found["complete"]), (&(lines - 1).into(), &false.into()));
    assert!(counts.starts_with(&format!("{} records, >0 lost", lines - 1)), "{counts}");
    assert!(said.contains("[T0515]") && said.contains(&format!("at byte {}", FIRST_PAGE + 4096)), "{said}");

    let (text, said) = both(&["summary", "README.md"], 1);
    assert!(text.is_empty() && said.contains("README.md: it is not a trace.dat file"), "{said}");
}

/// Buffers whose times cannot be compared are not counted together; each alone is.
#[test]
fn buffers_of_different_clocks_are_refused_until_one_is_chosen() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("clocks.dat");
    let path = file.to_str().expect("UTF-8");
    let page = &std::fs::read(VERSION_6).expect("readable")[FIRST_PAGE..FIRST_PAGE + 4096];
    let mut from = TraceDat::open(Path::new(VERSION_6)).expect("readable");
    let outline = from.outline().expect("readable");
    let head = Head { big_endian: false, long_size: 8, page_size: 4096 };
    let out = std::fs::File::create(&file).expect("a file");
    let mut writer = Writer::new(out, head, Compression::None).expect("written");
    for id in [option::HEADER_INFO, option::FTRACE_EVENTS, option::EVENT_FORMATS] {
        let part = outline.part(id).expect("a part");
        let body = from.part(part, outline.version).expect("readable");
        writer.section(id, &body, &[]).expect("written");
    }
    writer.options().expect("written");
    for (name, clock) in [("", "local"), ("other", "mono")] {
        let mut pages = writer.buffer(name, Some(clock), 4096).expect("written");
        pages.cpu(0).expect("written");
        pages.page(page).expect("written");
        pages.finish().expect("written");
        writer.options().expect("written");
    }
    writer.finish().expect("written");
    for more in [&[][..], &["--json"]] {
        let (text, said) = both(&[&["summary", path], more].concat(), 64);
        assert!(text.is_empty(), "{text}");
        let why = "have the clocks `local` and `mono`, whose times cannot be compared";
        assert!(said.contains(why) && said.contains("`--buffer`"), "{said}");
    }
    for (buffer, clock) in [("top", "local"), ("other", "mono")] {
        let found = summary(&[path, "--buffer", buffer], 0);
        assert_eq!(found["clock"], clock);
        assert!(number(&found["records"]) > 10, "{found}");
    }
}

#[test]
fn what_a_session_hides_of_records_changes_no_count() {
    // A summary has no values of fields and no texts, so that there is nothing to hide; names of tasks are those of the file.
    for file in [VERSION_6, VERSION_7] {
        let clause = |block: &str| format!("trace sched:sched_waking if pid % 2 == 0 {{ {block} }}");
        let of = |text: &str| summary(&[file, "-e", text], 0);
        let plain = of(&clause(""));
        assert!(number(&plain["records"]) > 0);
        for block in [r#"print "{pid}""#, "drop comm, pid;", "redact comm, pid;"] {
            assert_eq!(of(&clause(block)), plain, "{block}");
        }
    }
}
