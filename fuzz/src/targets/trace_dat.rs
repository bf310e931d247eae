//! Recordings.

use std::io::Cursor;

use tracec_runtime::record::{TraceDat, report};
use tracec_runtime::sink::{Event, SinkError};

/// Opens a recording, and shows its records: each in the order of its CPU, as many as are counted.
pub fn trace_dat(data: &[u8]) {
    let mut trace = match TraceDat::read(Cursor::new(data)) {
        Ok(trace) => trace,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let (mut records, mut text) = (0_u64, Vec::new());
    let mut sink = |event: &Event<'_>| -> Result<(), SinkError> {
        records += 1;
        text.clear();
        if let Some(printed) = &event.text {
            printed.push_line(&mut text);
        }
        assert!(!text.contains(&b'\n') || prints_lines(event), "a line has two");
        Ok(())
    };
    match report(&mut trace, &mut sink) {
        Ok(counts) => assert_eq!(counts.records, records),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Returns whether an event may print line breaks of its own: the frames of a stack, a dump, or an escape in its format.
fn prints_lines(event: &Event<'_>) -> bool {
    let format = event.record.format;
    let own = ["\\", "stack", "dump"];
    format.system == "ftrace" || own.iter().any(|part| format.print_fmt.contains(part))
}
