//! `tracec report` with a session: the records that it would have recorded.

use std::process::{Command, Output};

use serde_json::Value;

const RECORDING: &str = "runtime/tests/data/small-v6.dat";

fn report(more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.args(["report", RECORDING, "--json"]).args(more).output().expect("tracec runs")
}

/// Returns the records that are shown.
fn records(more: &[&str]) -> Vec<Value> {
    let output = report(more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn records_are_those_that_the_session_would_have_recorded() {
    let all = records(&[]);
    let of = |event: &str, keeps: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        all.iter().filter(|record| record["event"] == event && keeps(&record["fields"])).cloned().collect()
    };
    let pid = |fields: &Value| fields["pid"].as_i64().expect("a number");
    let even = of("sched:sched_waking", &|fields| pid(fields) % 2 == 0);
    let named = of("sched:sched_waking", &|fields| fields["comm"].as_str().expect("a text").starts_with('b'));
    assert!(!even.is_empty() && even.len() < all.len() && !named.is_empty());
    for (text, expected) in [
        ("sched:sched_waking if pid % 2 == 0", &even),
        ("sched:sched_waking if comm ~ \"b*\"", &named),
        ("sched:sched_waking", &of("sched:sched_waking", &|_| true)),
    ] {
        assert_eq!(&records(&["-e", text]), expected, "{text}");
        assert_eq!(&records(&["-e", text, "--no-jit"]), expected, "{text}");
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let said = String::from_utf8(report(&["-e", "sched:sched_waking if pid < 0"]).stderr).expect("UTF-8");
    let all = records(&[]).len();
    // Records of unknown events are left out too.
    let left = said.split(" left out").next().and_then(|text| text.rsplit(' ').next()).expect("a number");
    let left: usize = left.replace(',', "").parse().expect("a number");
    assert!(said.starts_with("0 records") && left >= all, "{said}");
}

#[test]
fn what_records_do_not_hold_is_refused_where_it_stands() {
    for (text, code, place) in [
        ("sched:sched_waking if current.comm == \"x\"", "T0408", "-e:1:23"),
        ("trace sched:sched_waking; stop after 1s", "T0408", "-e:1:27"),
        ("sched:sched_waking if pidd == 0", "T0102", "-e:1:23"),
        ("sched:nothing", "T0101", "-e:1:1"),
    ] {
        let output = report(&["-e", text]);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{text}");
        assert!(said.contains(code) && said.contains(place), "{text}: {said}");
    }
}
