//! The example programs of the library do what they say.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

const RECORDING: &str = "runtime/tests/data/small-v6.dat";

/// Builds and runs an example, and returns what it prints.
fn printed(example: &str, argument: &str) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(["run", "--quiet", "--example", example, "--"]);
    let output = command.arg(argument).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn switches_counts_the_threads_that_ran() {
    // `report` is not made of the library's iterator alone: it counts as many.
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let output = command.args(["report", RECORDING, "--json"]).output().expect("tracec runs");
    let mut expected: BTreeMap<String, u64> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).expect("UTF-8").lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        if record["event"] == "sched:sched_switch" {
            let comm = record["fields"]["next_comm"].as_str().expect("a name").to_owned();
            *expected.entry(comm).or_default() += 1;
        }
    }
    assert!(!expected.is_empty() && expected.len() <= 10);
    let shown = printed("switches", RECORDING);
    let mut lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.pop(), Some("       0 events lost"));
    let of_line = |line: &str| {
        let (count, comm) = line.trim_start().split_once(' ').expect("a count");
        (comm.to_owned(), count.parse().expect("a number"))
    };
    assert_eq!(lines.into_iter().map(of_line).collect::<BTreeMap<String, u64>>(), expected);
}
