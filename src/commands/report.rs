//! `tracec report FILE`: prints the records of a recorded trace.

mod display;
mod selection;

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
use tracec_kernel::selection::SelectedEvent;
use tracec_runtime::record::{HostFilter, ReportError, TraceDat, report_if};
use tracec_runtime::sink::{
    FIELDS, Form, JSON_LINES, KERNEL_LAYOUT, LAYOUTS, SinkError, Timestamps, kernel_layout,
};

use super::form::chosen;
use super::{Failure, recording};
use crate::cli::{Report, SourceOptions};
use crate::{print, source};

/// Prints the records of a trace.dat file, or those that a session would record.
pub(crate) fn report(arguments: &Report) -> Result<ExitCode, Failure> {
    let Report { file, source, json, form, layout, options, selection, no_jit } = arguments;
    let form = match layout {
        Some(name) => named(name)?,
        None if form.fields && !*json => &FIELDS,
        None => chosen(if *json { &JSON_LINES } else { &KERNEL_LAYOUT }, form)?,
    };
    let damaged = |reason: String| damaged_record(&format!("{}: {reason}", file.display()));
    let mut trace = recording::open(file)?;
    let timestamps = Timestamps::of_clock(trace.clock());
    let out = Box::new(std::io::stdout());
    let mut sink = match options.is_empty() {
        true => form.sink(out, timestamps),
        false if std::ptr::eq(form, &KERNEL_LAYOUT) => kernel_layout(out, display::display(options)?),
        false => {
            let why = "trace options are those of the layout `kernel`";
            return Err(Failure::Usage(format!("`--option` changes nothing: {why}")));
        }
    };
    selection::narrow((file, &mut trace), selection)?;
    for (event, error) in &trace.unreadable {
        let line = format!("{event}: its records cannot be read: {error}");
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(std::io::stderr(), "{}", Escaped::text(&line));
    }
    let asked = match &source.expression {
        Some(_) => Some(asked(source, &trace, file)?),
        None => None,
    };
    let filter = match selection::events(&trace, selection, asked)? {
        Some(events) => HostFilter::of_recorded(&trace.formats, events, &trace.layout)
            .map_err(|error| damaged(error.to_string()))?,
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

/// Returns the events of which a session would record, with their conditions, by a text that is checked for the kernel of
/// the file.
fn asked(
    options: &SourceOptions,
    trace: &TraceDat<File>,
    file: &Path,
) -> Result<Vec<SelectedEvent>, Failure> {
    let loaded = source::load_or(None, options)?;
    let kernel = FormatsKernel::new(&trace.formats, format!("the kernel of {}", file.display()));
    let input = Input { target: &REPORT, ..loaded.input(&kernel) };
    let analysis = analyse(input, Choice::One(None));
    let (events, said) = analysis.make(selected);
    let Some(events) = events else { return Err(Failure::Diagnostics(analysis.sources, said)) };
    print::diagnostics(&analysis.sources, &said);
    Ok(events)
}

/// Returns the layout of a name.
fn named(name: &str) -> Result<&'static Form, Failure> {
    let found = LAYOUTS.into_iter().find(|layout| layout.name == name);
    found.ok_or_else(|| {
        let names = LAYOUTS.map(|layout| format!("`{}`", layout.name)).join(", ");
        Failure::Usage(format!("there is no layout `{name}`; there are {names}"))
    })
}
