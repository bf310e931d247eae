//! The texts of a recording, beside those of `trace-cmd report -N` (3.1.6), which prints by the print formats as well.
//!
//! `sample.dat.gz` was recorded by `trace-cmd record -e sched -e syscalls` on 6.18, `sample.txt.gz` is its report.
//! Without `-N`, plugins of trace-cmd print `sched_switch` and two wake-ups in a form of their own.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::process::Command;

use tracec_kernel::text::{Nothing, Text};
use tracec_runtime::record::{TraceDat, report};
use tracec_runtime::sink::{Event, SinkError};

/// The decompressed bytes of a file of `tests/data`.
fn data(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let output = Command::new("gzip").arg("-dc").arg(&path).output();
    let output = output.expect("gzip, which every Debian has, does not start");
    assert!(output.status.success(), "{path:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

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
        *events.entry(name.clone()).or_default() += 1;
        Ok(())
    };
    let counts = report(&mut trace, &mut sink).unwrap();
    assert_eq!(lines.count(), 0, "trace-cmd prints more records");
    println!("{} records of {} events have the text of trace-cmd", counts.records, events.len());
    assert_eq!((counts.records, events.len()), (50_607, 58));
}
