//! `tracec report FILE`: prints the records of a recorded trace.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use tracec::FormatsKernel;
use tracec::machine_code::{in_background, without_code};
use tracec_compiler::diagnostic::codes::damaged_record::damaged_record;
use tracec_compiler::target::report::{REPORT, selected};
use tracec_compiler::{Choice, Input, analyse};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{HostFilter, ReportError, TraceDat, report_if};
use tracec_runtime::sink::{JSON_LINES, SinkError, TEXT, Timestamps};

use super::Failure;
use super::form::chosen;
use crate::cli::{Report, SourceOptions};
use crate::{print, source};

/// Prints the records of a trace.dat file, or those that a session would record.
pub(crate) fn report(arguments: &Report) -> Result<ExitCode, Failure> {
    let Report { file, source, json, form, no_jit } = arguments;
    let form = chosen(if *json { &JSON_LINES } else { &TEXT }, form)?;
    let damaged = |reason: String| damaged_record(&format!("{}: {reason}", file.display()));
    let mut trace = TraceDat::open(file).map_err(|error| damaged(error.to_string()))?;
    let timestamps = Timestamps::of_clock(trace.clock());
    let mut sink = form.sink(Box::new(std::io::stdout()), timestamps);
    for (event, error) in &trace.unreadable {
        let line = format!("{event}: its records cannot be read: {error}");
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(std::io::stderr(), "{}", Escaped::text(&line));
    }
    let filter = match &source.expression {
        Some(_) => filter(source, &trace, file)?,
        None => HostFilter::default(),
    };
    // Records are shown at once, and a short recording ends before there is code.
    let reason = filter.task().filter(|_| !no_jit).map(in_background);
    match report_if(&mut trace, filter, sink.as_mut()) {
        Ok(shown) => {
            let [records, lost, unknown] = [shown.records, shown.lost, shown.unknown].map(Grouped);
            let dropped = shown.dropped.map(|dropped| match shown.stacks {
                0 => format!(", {} left out", Grouped(dropped)),
                1 => format!(", {} left out with 1 stack", Grouped(dropped)),
                stacks => format!(", {} left out with {} stacks", Grouped(dropped), Grouped(stacks)),
            });
            let dropped = dropped.unwrap_or_default();
            let line = format!("{records} records{dropped}, {lost} lost, {unknown} of unknown events");
            let _ = writeln!(std::io::stderr(), "{line}");
            if let Some(reason) = reason.and_then(|reason| reason.try_recv().ok()) {
                print::complain(&without_code(&reason));
            }
            Ok(ExitCode::SUCCESS)
        }
        // A recording may be large, so the rest of it is not read for nobody.
        Err(ReportError::Sink(SinkError::Closed)) => Ok(ExitCode::SUCCESS),
        Err(ReportError::Sink(SinkError::Io(error))) => Err(error.into()),
        Err(error) => Err(damaged(error.to_string()).into()),
    }
}

/// Returns the filter of the records that a session would record, whose text is checked for the kernel of the file.
fn filter(options: &SourceOptions, trace: &TraceDat<File>, file: &Path) -> Result<HostFilter, Failure> {
    let loaded = source::load_or(None, options)?;
    let kernel = FormatsKernel::new(&trace.formats, format!("the kernel of {}", file.display()));
    let input = Input { target: &REPORT, ..loaded.input(&kernel) };
    let analysis = analyse(input, Choice::One(None));
    let (events, said) = analysis.make(selected);
    let Some(events) = events else { return Err(Failure::Diagnostics(analysis.sources, said)) };
    print::diagnostics(&analysis.sources, &said);
    let filter = HostFilter::of_recorded(&trace.formats, events, &trace.layout)
        .map_err(|error| damaged_record(&format!("{}: {error}", file.display())))?;
    Ok(filter)
}
