//! The texts of a recording, beside those of `trace-cmd report -N` (3.1.6), which prints by the print formats as well.
//!
//! `sample.dat.gz` was recorded by `trace-cmd record -e sched -e syscalls` on 6.18, `sample.txt.gz` is its report.
//! Without `-N`, plugins of trace-cmd print `sched_switch` and two wake-ups in a form of their own.

mod common;

use std::collections::{BTreeMap, HashMap};

use tracec_kernel::text::{Nothing, Text};
use tracec_runtime::record::{TraceDat, report};
use tracec_runtime::sink::{Event, Form, KERNEL_LAYOUT, SinkError, TRACE_CMD_3_1, TRACE_CMD_3_3, Timestamps};

use common::{Shared, data};

#[test]
fn texts_are_those_of_trace_cmd() {
    let expected = String::from_utf8(data("sample.txt.gz")).unwrap();
    let mut lines = expected.lines().skip(1);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sample.dat");
    std::fs::write(&file, data("sample.dat.gz")).unwrap();
    let mut trace = TraceDat::open(&file).unwrap();
    let mut texts: HashMap<u16, Text> = HashMap::new();
    for format in &trace.formats {
        if let Ok(text) = Text::compile_print_fmt(format, &Nothing) {
            texts.insert(format.id, text);
        }
    }
    let mut events: BTreeMap<String, usize> = BTreeMap::new();
    let mut sink = |event: &Event<'_>| -> Result<(), SinkError> {
        let line = lines.next().expect("trace-cmd prints fewer records");
        let name = &event.record.format.name;
        // `comm-pid [cpu]  seconds: event:   text`, with blanks behind the name up to a column.
        let (_, shown) = line.split_once(&format!(": {name}:")).unwrap_or_else(|| panic!("{name}: {line}"));
        let mut text = Vec::new();
        texts[&event.record.format.id].render(event.record.data, &Nothing, &mut text);
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text, shown.trim_start(), "{line}");
        *events.entry(name.to_string()).or_default() += 1;
        Ok(())
    };
    let counts = report(&mut trace, &mut sink).unwrap();
    assert_eq!(lines.count(), 0, "trace-cmd prints more records");
    println!("{} records of {} events have the text of trace-cmd", counts.records, events.len());
    assert_eq!((counts.records, events.len()), (50_607, 58));
}

/// The events that plugins of trace-cmd print.
const PLUGINS: [&str; 3] = [": sched_switch:", ": sched_wakeup:", ": sched_wakeup_new:"];

/// Returns the lines of the sample in a layout.
fn lines_of(layout: &Form) -> Vec<String> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("sample.dat");
    std::fs::write(&file, data("sample.dat.gz")).unwrap();
    let mut trace = TraceDat::open(&file).unwrap();
    let shared = Shared::default();
    let mut sink = layout.sink(Box::new(shared.clone()), Timestamps::Nanoseconds);
    report(&mut trace, sink.as_mut()).unwrap();
    let text = String::from_utf8(shared.0.lock().unwrap().clone()).unwrap();
    text.lines().map(str::to_owned).collect()
}

/// Returns the lines of a file of `tests/data`.
fn stored(file: &str) -> Vec<String> {
    String::from_utf8(data(file)).unwrap().lines().map(str::to_owned).collect()
}

/// `sample.plugins-3.1.txt.gz` and `sample.plugins-3.3.txt.gz` are the lines of the reports of 3.1.6 and 3.3.3 that plugins
/// have printed.
#[test]
fn lines_are_those_of_trace_cmd() {
    let is_plugin = |line: &&String| PLUGINS.iter().any(|name| line.contains(name));
    let (old, new) = (lines_of(&TRACE_CMD_3_1), lines_of(&TRACE_CMD_3_3));
    let expected = stored("sample.txt.gz");
    assert_eq!((old.len(), new.len()), (expected.len(), expected.len()));
    for ((old, new), expected) in old.iter().zip(&new).zip(&expected) {
        if !is_plugin(&old) {
            assert_eq!(old, expected);
            // 3.3 adds the flags behind the CPU.
            let without_flags = match new.split_once("] ") {
                Some((head, rest)) => format!("{head}] {}", rest.split_once(' ').unwrap().1),
                None => new.clone(),
            };
            assert_eq!(&without_flags, old);
        }
    }
    let plugins = |lines: &[String]| lines.iter().filter(is_plugin).cloned().collect::<Vec<_>>();
    assert_eq!(plugins(&old), stored("sample.plugins-3.1.txt.gz"));
    assert_eq!(plugins(&new), stored("sample.plugins-3.3.txt.gz"));
}

#[test]
fn lines_of_the_kernel_have_flags_and_no_system() {
    let lines = lines_of(&KERNEL_LAYOUT);
    assert_eq!(lines.len(), 50_607);
    assert_eq!(lines[0], "            busy-21590   [000] .....  2266.954751: sys_write -> 0x1");
    assert_eq!(
        lines[2],
        "            busy-21590   [000] d..3.  2266.954788: sched_waking: comm=migration/0 pid=18 prio=0 \
         target_cpu=000"
    );
}
