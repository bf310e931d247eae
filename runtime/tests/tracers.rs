//! Recordings of tracers beside what the kernel's file `trace` and trace-cmd 3.1.6 print of the same records.
//!
//! They were made on Linux 6.12 (`trace-cmd extract`, after `trace` was read), and have only the formats and symbols of what
//! occurs in them. `NAME.OPTIONS.txt.gz` is `trace` with these options, without its header, and `NAME.trace-cmd.txt.gz` is
//! `trace-cmd report`.

mod common;

use tracec_runtime::record::{TraceDat, report};
use tracec_runtime::sink::{
    Display, Sink, TRACE_CMD_3_1, Timestamps, TraceCmdDisplay, kernel_layout, trace_cmd_layout,
};

use common::{Shared, data};

/// Returns the decompressed bytes of a file of `tests/data/tracers`.
fn of_tracer(file: &str) -> Vec<u8> {
    data(&format!("tracers/{file}"))
}

/// Returns the lines of a recording in the layout that `sink` makes.
fn shown(name: &str, sink: impl FnOnce(Shared) -> Box<dyn Sink>) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("x.dat");
    std::fs::write(&file, of_tracer(&format!("{name}.dat.gz"))).unwrap();
    let shared = Shared::default();
    let mut sink = sink(shared.clone());
    report(&mut TraceDat::open(&file).unwrap(), sink.as_mut()).unwrap();
    let text = String::from_utf8(shared.0.lock().unwrap().clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn stored(file: &str) -> Vec<String> {
    String::from_utf8(of_tracer(file)).unwrap().lines().map(str::to_owned).collect()
}

/// Compares lines, and says which is the first that differs.
#[track_caller]
fn assert_same(found: &[String], expected: &[String], what: &str) {
    for (number, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found, expected, "{what}, line {}", number + 1);
    }
    assert_eq!(found.len(), expected.len(), "{what}: lines");
    assert!(found.len() >= 2, "{what}: this proves nothing");
}

/// Compares the lines of the kernel, which does not say in `trace` that older records were overwritten.
#[track_caller]
fn assert_kernel(name: &str, options: &str, display: Display) {
    let mut found = shown(name, |out| kernel_layout(Box::new(out), display));
    found.retain(|line| !line.ends_with("EVENTS]"));
    assert_same(&found, &stored(&format!("{name}.{options}.txt.gz")), &format!("{name}, {options}"));
}

#[track_caller]
fn assert_trace_cmd(name: &str) {
    let found = shown(name, |out| TRACE_CMD_3_1.sink(Box::new(out), Timestamps::Nanoseconds));
    assert_same(&found, &stored(&format!("{name}.trace-cmd.txt.gz")), name);
}

#[test]
fn calls_are_those_of_the_tracer_function_graph() {
    let graph = Display::function_graph;
    let with = |set: &dyn Fn(&mut Display)| {
        let mut display = graph();
        set(&mut display);
        display
    };
    assert_kernel("calls", "default", graph());
    assert_kernel("calls", "funcgraph-proc", with(&|display| display.calls.task = true));
    assert_kernel("calls", "funcgraph-abstime", with(&|display| display.calls.time = true));
    assert_kernel("calls", "nofuncgraph-cpu", with(&|display| display.calls.cpu = false));
    assert_kernel("calls", "nocontext-info", with(&|display| display.context = false));
    assert_kernel("calls", "nofuncgraph-duration", with(&|display| display.style.calls.durations = false));
    assert_kernel("calls", "nofuncgraph-overhead", with(&|display| display.style.calls.marks = false));
    assert_kernel("calls", "funcgraph-tail", with(&|display| display.style.calls.tails = true));
    assert_kernel("calls", "funcgraph-overrun", with(&|display| display.style.calls.overruns = true));
}

#[test]
fn calls_have_what_they_return() {
    let mut display = Display::function_graph();
    display.style.calls.values = true;
    assert_kernel("values", "funcgraph-retval", display);
    display.style.calls.hexadecimal = true;
    assert_kernel("values", "funcgraph-retval-hex", display);
}

#[test]
fn calls_are_lines_among_others_where_another_tracer_prints_them() {
    assert_kernel("snapshot", "default", Display::default());
    let mut display = Display::default();
    display.style.calls.tails = true;
    assert_kernel("snapshot", "funcgraph-tail", display);
}

#[test]
fn calls_are_those_of_trace_cmd() {
    for name in ["calls", "values", "snapshot"] {
        assert_trace_cmd(name);
    }
}

#[test]
fn functions_are_those_of_the_kernel_and_of_trace_cmd() {
    assert_kernel("functions", "default", Display::default());
    let mut display = Display::default();
    display.style.parents = false;
    assert_kernel("functions", "noprint-parent", display);
    assert_trace_cmd("functions");
    assert_kernel("repeats", "default", Display::default());
    assert_trace_cmd("repeats");
}

#[test]
fn options_of_trace_cmd_change_its_lines() {
    let default = TraceCmdDisplay::new(false);
    for (name, options, display) in [
        ("functions", "l", TraceCmdDisplay { latency: true, ..default }),
        ("repeats", "parent", TraceCmdDisplay { parent: true, indent: false, ..default }),
        ("repeats", "offset", TraceCmdDisplay { parent: true, offset: true, ..default }),
    ] {
        let found = shown(name, |out| trace_cmd_layout(Box::new(out), display));
        assert_same(&found, &stored(&format!("{name}.trace-cmd-{options}.txt.gz")), options);
    }
}

#[test]
fn stacks_and_raw_data_are_those_of_the_kernel_and_of_trace_cmd() {
    assert_kernel("stacks", "default", Display::default());
    assert_trace_cmd("stacks");
}

#[test]
fn latencies_are_those_of_the_kernel_and_of_trace_cmd() {
    for name in ["hwlat", "osnoise", "timerlat"] {
        assert_kernel(name, "default", Display::default());
        assert_trace_cmd(name);
    }
}

#[test]
fn block_requests_are_those_of_the_kernel_and_of_trace_cmd() {
    assert_kernel("blk", "default", Display::default());
    let display = Display { context: false, ..Display::default() };
    assert_kernel("blk", "nocontext-info", display);
    assert_trace_cmd("blk");
}
