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
        assert!(!text.contains(&b'\n'), "a line has two");
        Ok(())
    };
    match report(&mut trace, &mut sink) {
        Ok(counts) => assert_eq!(counts.records, records),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
