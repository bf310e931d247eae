//! `tracec report FILE`: prints the records of a recorded trace.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::diagnostic::codes::damaged_record::damaged_record;
use tracec_kernel::escaped::Escaped;
use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{ReportError, TraceDat, report as show};
use tracec_runtime::sink::{JSON_LINES, SinkError, TEXT, Timestamps};

use super::Failure;

/// Prints the records of a trace.dat file.
pub(crate) fn report(file: &Path, json: bool) -> Result<ExitCode, Failure> {
    let damaged = |reason: String| damaged_record(&format!("{}: {reason}", file.display()));
    let mut trace = TraceDat::open(file).map_err(|error| damaged(error.to_string()))?;
    let form = if json { &JSON_LINES } else { &TEXT };
    let timestamps = Timestamps::of_clock(trace.clock());
    let mut sink = form.sink(Box::new(std::io::stdout()), timestamps);
    for (event, error) in &trace.unreadable {
        let line = format!("{event}: its records cannot be read: {error}");
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(std::io::stderr(), "{}", Escaped::text(&line));
    }
    match show(&mut trace, sink.as_mut()) {
        Ok(shown) => {
            let [records, lost, unknown] = [shown.records, shown.lost, shown.unknown].map(Grouped);
            let _ =
                writeln!(std::io::stderr(), "{records} records, {lost} lost, {unknown} of unknown events");
            Ok(ExitCode::SUCCESS)
        }
        // A recording may be large, so the rest of it is not read for nobody.
        Err(ReportError::Sink(SinkError::Closed)) => Ok(ExitCode::SUCCESS),
        Err(ReportError::Sink(SinkError::Io(error))) => Err(error.into()),
        Err(error) => Err(damaged(error.to_string()).into()),
    }
}
