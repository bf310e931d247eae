//! Recordings of tracers beside what the kernel's file `trace` and trace-cmd 3.1.6 print of the same records.
//!
//! They were made on Linux 6.12 (`trace-cmd extract`, after `trace` was read), and have only the formats and symbols of what
//! occurs in them. `NAME.OPTIONS.txt.gz` is `trace` with these options, without its header, and `NAME.trace-cmd.txt.gz` is
//! `trace-cmd report`.
//!
//! The snapshot of a tracer of latencies cannot be read raw. The records of `wakeup`, `wakeup_rt` and `irqsoff` were put
//! together from what `trace` shows of them with the options `bin`, `verbose`, `fields` and `sym-addr`, those of `preemptoff`
//! and `preemptirqsoff` with `raw` and `sym-addr`. `printk` is of a
//! module that calls `trace_printk` with all kinds of formats.

mod common;

use std::io::Cursor;

use tracec_runtime::record::{BufferText, TraceDat, TraceDatError, report};
use tracec_runtime::sink::{
    Display, Latency, Sink, TRACE_CMD_3_1, Timestamps, TraceCmdDisplay, kernel_layout, trace_cmd_layout,
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

#[test]
fn block_requests_have_the_columns_of_blktrace() {
    assert_kernel("requests", "default", Display::default());
    // The kernel's own option for the context follows this one, in front of other records too.
    let mut display = Display { context: false, ..Display::default() };
    display.style.classic_requests = true;
    assert_kernel("requests", "blk_classic", display);
    display.style.named_actions = true;
    assert_kernel("requests", "blk_classic-verbose", display);
    let mut display = Display::default();
    display.style.named_actions = true;
    assert_kernel("requests", "verbose", display);
}

#[test]
fn accesses_to_devices_are_those_of_the_tracer_mmiotrace() {
    let mut expected = stored("mmio.default.txt.gz");
    // A marker is a line of its own while mmiotrace is the tracer, which no record says.
    assert_eq!(expected.pop().as_deref(), Some("MARK 35.142521 a mark"));
    let mut found = shown("mmio", |out| kernel_layout(Box::new(out), Display::default()));
    assert!(found.pop().is_some_and(|line| line.ends_with(" tracing_mark_write: a mark")));
    assert_same(&found, &expected, "mmio");
    assert_trace_cmd("mmio");
}

#[test]
fn messages_of_trace_printk_are_those_of_the_kernel() {
    assert_kernel("printk", "default", Display::default());
    let display = Display { messages_only: true, ..Display::default() };
    assert_kernel("printk", "printk-msg-only", display);
    assert_kernel("latency", "printk-msg-only", display);
    let mut display = Display::default();
    display.style.symbol_offsets = true;
    assert_kernel("printk", "sym-offset", display);
}

/// The messages that trace-cmd 3.1.6 does not print as the kernel does, by a part of its line, and why.
const WRONG_MESSAGES: &[(&str, &str)] = &[
    ("numbers: hex ", "`%-8x` is printed as `x`"),
    ("[FAILED TO PARSE]", "`%+d` is not read, and no later message with arguments is"),
];

#[test]
fn messages_of_trace_printk_are_those_of_trace_cmd_unless_they_are_listed() {
    let found = shown("printk", |out| TRACE_CMD_3_1.sink(Box::new(out), Timestamps::Nanoseconds));
    let expected = stored("printk.trace-cmd.txt.gz");
    assert_eq!(found.len(), expected.len());
    let mut same = 0;
    for (found, expected) in found.iter().zip(&expected) {
        let wrong = WRONG_MESSAGES.iter().find(|(part, _)| expected.contains(part));
        assert_eq!(found == expected, wrong.is_none(), "{wrong:?}\n{expected}\n{found}");
        same += usize::from(wrong.is_none());
    }
    assert!(same >= 8, "this proves little: {same} lines are the same");
    for (part, why) in WRONG_MESSAGES {
        assert!(expected.iter().any(|line| line.contains(part)), "{part}: {why}: this is not so any more");
    }
}

/// Returns the display of `latency-format` with the time in nanoseconds at which the kernel's times begin.
fn latency(begin: u64) -> Display {
    Display { latency: Some(Latency { begin: Some(begin), verbose: false }), ..Display::default() }
}

fn verbose(begin: u64) -> Display {
    Display { latency: Some(Latency { begin: Some(begin), verbose: true }), ..Display::default() }
}

#[test]
fn latency_format_is_that_of_the_kernel() {
    // `trace` does not say to the nanosecond when its times begin: each of these agrees with all of its lines.
    for (name, begin) in [("latency", 6_284_279_807), ("counter", 3)] {
        assert_kernel(name, "latency-format", latency(begin));
        assert_kernel(name, "verbose", verbose(begin));
        assert_trace_cmd(name);
    }
    let first = Display { latency: Some(Latency::default()), ..Display::default() };
    let lines = shown("latency", |out| kernel_layout(Box::new(out), first));
    assert!(lines[0].contains("    0us#: vfs_open"), "{}", lines[0]);
}

#[test]
fn latencies_of_the_scheduler_and_of_interrupts_are_those_of_the_kernel() {
    for (name, begin) in [
        ("wakeup", 12_736_360_258),
        ("wakeup_rt", 37_249_392_875),
        ("irqsoff", 30_429_681_486),
        ("preemptoff", 17_387_593_612),
        ("preemptirqsoff", 28_375_897_786),
    ] {
        assert_kernel(name, "default", Display::default());
        assert_kernel(name, "latency-format", latency(begin));
        assert_kernel(name, "verbose", verbose(begin));
        assert_trace_cmd(name);
    }
    for name in ["preemptoff", "preemptirqsoff"] {
        let mut display = Display::default();
        display.style.symbol_addresses = true;
        assert_kernel(name, "sym-addr", display);
    }
}

#[test]
fn times_of_a_guest_are_those_of_its_host() {
    // `latency` with an option TIME_SHIFT: the sample before, interpolated, with factors.
    for name in ["shifted", "interpolated", "scaled"] {
        assert_trace_cmd(name);
    }
}

#[test]
fn text_of_a_latency_tracer_is_that_of_trace_cmd() {
    // They have the texts of files that `trace-cmd record -p wakeup_rt` wrote, compressed in version 7.
    for name in ["text-v6", "text-v7"] {
        let bytes = of_tracer(&format!("{name}.dat.gz"));
        let texts = TraceDat::read_texts(Cursor::new(&bytes[..])).unwrap();
        let [BufferText { name: instance, text }] = &texts[..] else { panic!("{name}: {texts:?}") };
        assert_eq!(instance, "");
        let expected = of_tracer(&format!("{name}.trace-cmd.txt.gz"));
        // trace-cmd ends the text with a line break of its own.
        assert!([b"cpus=2\n", &text[..], b"\n"].concat() == expected, "{}", String::from_utf8_lossy(text));
        assert!(matches!(TraceDat::read(Cursor::new(&bytes[..])), Err(TraceDatError::Latency)));
        // Where a text of version 6 ends, the file does.
        let head = bytes.windows(10).position(|window| window == b"latency  \0").map(|at| at + 10);
        for length in 0..head.unwrap_or(bytes.len()) {
            assert!(TraceDat::read_texts(Cursor::new(&bytes[..length])).is_err(), "{name}, {length}");
        }
    }
    let records = of_tracer("latency.dat.gz");
    assert_eq!(TraceDat::read_texts(Cursor::new(records)).unwrap(), []);
}

#[test]
fn calls_have_flags_in_the_latency_format() {
    let mut display = Display { latency: Some(Latency::default()), ..Display::function_graph() };
    assert_kernel("graph", "latency-format", display);
    display.calls.task = true;
    assert_kernel("graph", "latency-proc", display);
    assert_trace_cmd("graph");
}
