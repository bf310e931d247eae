//! `tracec report FILE`: prints the records of a recorded trace.

mod display;
mod follow;
mod latency;
mod lines;
pub(super) mod selection;

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc::Receiver;

use tracec::FormatsKernel;
use tracec::machine_code::{at_once, in_background, without_code};
use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::damaged_record::damaged_record;
use tracec_compiler::target::Target;
use tracec_compiler::target::report::{Asked, FILTER, REPORT, filtered, selected};
use tracec_compiler::{Choice, Input, analyse};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::grouped::Grouped;
use tracec_kernel::shown::ShownEvent;
use tracec_runtime::record::{
    CpuData, Damage, HostFilter, ReportError, Reported, TraceDat, TraceDatError, report_all,
};
use tracec_runtime::sink::{
    Display, FIELDS, FUNCTION_GRAPH_LAYOUT, Form, JSON_LINES, KERNEL_LAYOUT, LAYOUTS, Sink, SinkError,
    TRACE_CMD_3_1, TRACE_CMD_3_3, Timestamps, TraceCmdDisplay, kernel_layout, trace_cmd_layout,
};

use super::form::{chosen, of_path};
use super::{Failure, recording};
use crate::cli::{Colour, Report, Selection, ShowOptions, SourceOptions};
use crate::progress::Progress;
use crate::source::Loaded;
use crate::{print, source};

/// The number of bytes of pages from which on code is made before the first record: a millisecond later.
const LARGE: u64 = 4 << 20;

/// Prints the records of trace.dat files, or those that a session would record.
pub(crate) fn report(arguments: &Report) -> Result<ExitCode, Failure> {
    let Report { files, source, show, follow } = arguments;
    let of_lines =
        files.iter().find(|file| of_path(file).is_some_and(|form| std::ptr::eq(form, &JSON_LINES)));
    match (files.as_slice(), of_lines) {
        (_, None) => {}
        (_, Some(file)) if *follow => {
            let why = "which have no end that says that they are complete";
            return Err(Failure::Usage(format!("{} has JSON lines, {why}", file.display())));
        }
        ([file], Some(_)) => return lines::report(file, source, show),
        (_, Some(file)) => {
            return Err(Failure::Usage(format!("{} has JSON lines, which are not merged", file.display())));
        }
    }
    let form = form(show)?;
    let text = expression(source)?;
    let text = text.as_ref().map(|loaded| (loaded, &REPORT));
    match files.as_slice() {
        [file] if *follow => return follow::follow(file, text, form, show),
        _ if *follow => {
            let why = "`--follow` waits for the end of one recording".to_owned();
            return Err(Failure::Usage(why));
        }
        _ => {}
    }
    recording::named_once(files.iter().map(PathBuf::as_path))?;
    let mut found: Vec<Found> = Vec::new();
    for file in files {
        let trace = match TraceDat::open(file) {
            Err(TraceDatError::Latency) if files.len() == 1 => return latency::report(file, source, show),
            opened => opened.map_err(|error| recording::damaged(file, &error))?,
        };
        found.push(Found::of((file, trace), &show.selection, text)?);
    }
    found.iter().for_each(Found::say_outside);
    print(&mut found, form, show)
}

/// Returns the text of `-e`.
pub(super) fn expression(options: &SourceOptions) -> Result<Option<Loaded>, Failure> {
    Ok(options.expression.as_ref().map(|_| source::load_or(None, options)).transpose()?)
}

/// A recording with what is asked of it.
pub(super) struct Found<'a> {
    pub(super) file: &'a Path,
    pub(super) trace: TraceDat<File>,
    pub(super) filter: HostFilter,
    /// What is shown of the records of some events.
    pub(super) shown: Vec<ShownEvent>,
    pub(super) code: CodeState,
    /// What there is to say where no record is within the times that are asked for.
    outside: Option<String>,
}

/// Whether conditions run as machine code: receives the reason if they do not.
pub(super) struct CodeState(Option<Receiver<String>>);

impl<'a> Found<'a> {
    /// Opens a recording, and checks a text for the kernel of it.
    pub(super) fn open(
        file: &'a Path,
        selection: &Selection,
        text: Option<(&Loaded, &'static Target)>,
    ) -> Result<Self, Failure> {
        Self::of((file, recording::open(file)?), selection, text)
    }

    /// Checks a text for the kernel of an opened recording.
    fn of(
        (file, mut trace): (&'a Path, TraceDat<File>),
        selection: &Selection,
        text: Option<(&Loaded, &'static Target)>,
    ) -> Result<Self, Failure> {
        let outside = selection::narrow((file, &mut trace), selection)?;
        for (event, error) in &trace.unreadable {
            let line = format!("{event}: its records cannot be read: {error}");
            // If standard error is closed, nothing can be reported.
            let _ = writeln!(std::io::stderr(), "{}", Escaped::text(&line));
        }
        let asked = text.map(|(loaded, target)| asked(loaded, target, &trace, file)).transpose()?;
        let (asked, shown) = asked.map(|asked| (asked.events, asked.shown)).unzip();
        let filter = match selection::events(&trace, selection, asked)? {
            Some(events) => HostFilter::of_recorded(&trace.formats, events, &trace.layout)
                .map_err(|error| damaged(file, &error.to_string()))?,
            None => HostFilter::default(),
        };
        let size: u64 = trace.buffers.iter().flat_map(|buffer| &buffer.cpus).map(CpuData::length).sum();
        let reason = filter.task().filter(|_| !selection.no_jit).map(|task| match size {
            // Records are shown at once, and a short recording ends before there is code.
            ..LARGE => in_background(task),
            _ => at_once(task),
        });
        Ok(Found { file, trace, filter, shown: shown.unwrap_or_default(), code: CodeState(reason), outside })
    }

    /// Says that no record is within the times that are asked for, if that is so.
    pub(super) fn say_outside(&self) {
        self.outside.iter().for_each(|note| print::complain(note));
    }
}

impl CodeState {
    /// Says that there is no machine code, if that is so.
    pub(super) fn complain(&self) {
        if let Some(reason) = self.0.as_ref().and_then(|reason| reason.try_recv().ok()) {
            print::complain(&without_code(&reason));
        }
    }
}

fn damaged(file: &Path, reason: &str) -> Diagnostic {
    damaged_record(&format!("{}: {reason}", file.display()))
}

/// Returns the form in which records are shown.
pub(super) fn form(show: &ShowOptions) -> Result<&'static Form, Failure> {
    match &show.layout {
        Some(name) => named(name),
        None if show.form.fields && !show.json => Ok(&FIELDS),
        None => chosen(if show.json { &JSON_LINES } else { &KERNEL_LAYOUT }, &show.form),
    }
}

/// Returns the sink of a layout with options.
fn with_options(
    out: Box<dyn Write + Send>,
    form: &'static Form,
    options: &[String],
    colour: bool,
) -> Result<Box<dyn Sink>, Failure> {
    let is = |layout: &'static Form| std::ptr::eq(form, layout);
    if is(&TRACE_CMD_3_1) || is(&TRACE_CMD_3_3) {
        let display = TraceCmdDisplay::new(is(&TRACE_CMD_3_3));
        return Ok(trace_cmd_layout(out, display::trace_cmd(display, options)?));
    }
    let display = match form {
        _ if is(&KERNEL_LAYOUT) => Display::default(),
        _ if is(&FUNCTION_GRAPH_LAYOUT) => Display::function_graph(),
        _ => return Err(Failure::Usage("`--option` changes nothing: it is about layouts".to_owned())),
    };
    Ok(kernel_layout(out, Display { colour, ..display::display(display, options)? }))
}

/// Prints what was found in recordings, merged by time.
pub(super) fn print(
    found: &mut [Found<'_>],
    form: &'static Form,
    show: &ShowOptions,
) -> Result<ExitCode, Failure> {
    same_clock(found)?;
    let mut sink = sink(found, form, show)?;
    let files: Vec<&Path> = found.iter().map(|found| found.file).collect();
    let reported = |found: &mut Found<'_>| -> (String, HostFilter) {
        let name = found.file.file_name().unwrap_or(found.file.as_os_str());
        (name.to_string_lossy().into_owned(), std::mem::take(&mut found.filter))
    };
    let mut recordings = Vec::new();
    for found in found.iter_mut() {
        let (name, filter) = reported(found);
        let shown = std::mem::take(&mut found.shown);
        recordings.push(Reported { name, file: &mut found.trace, filter, shown });
    }
    let pages = recordings.iter().map(|of| of.file.pages_read());
    let progress = Progress::start(files.iter().copied().zip(pages), show.quiet, true);
    let shown = report_all(&mut recordings, threads(), sink.as_mut());
    drop((progress, recordings));
    let (counts, damage) = match shown {
        Ok(counts) => (counts, Damage::default()),
        Err(ReportError::Damaged { report, damage }) => (report, *damage),
        // A recording may be large, so the rest of it is not read for nobody.
        Err(ReportError::Sink(SinkError::Closed)) => return Ok(ExitCode::SUCCESS),
        Err(ReportError::Sink(SinkError::Io(error))) => return Err(error.into()),
        Err(error @ ReportError::TooManyCpus { .. }) => return Err(Failure::Usage(error.to_string())),
    };
    if !show.quiet {
        let _ = writeln!(std::io::stderr(), "{}", summary(&counts));
    }
    found.iter().for_each(|found| found.code.complain());
    recording::incomplete(&files, &damage).map_or(Ok(ExitCode::SUCCESS), Err)
}

/// Returns whether lines on standard output have colours.
fn has_colour(when: Colour) -> bool {
    match when {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let is_unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            !is_unwanted && std::io::stdout().is_terminal()
        }
    }
}

/// Returns the sink that shows what was found, on standard output.
fn sink(found: &[Found<'_>], form: &'static Form, show: &ShowOptions) -> Result<Box<dyn Sink>, Failure> {
    let timestamps =
        found.first().map_or(Timestamps::Nanoseconds, |first| Timestamps::of_clock(first.trace.clock()));
    let out = Box::new(std::io::stdout());
    let can_have = [&KERNEL_LAYOUT, &FUNCTION_GRAPH_LAYOUT].iter().any(|layout| std::ptr::eq(form, *layout));
    let has_colour = can_have && has_colour(show.color);
    match show.options.is_empty() && !has_colour {
        true => Ok(form.sink(out, timestamps)),
        false => with_options(out, form, &show.options, has_colour),
    }
}

/// Returns the number of threads that read pages.
pub(super) fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the counts of a report in one line.
pub(super) fn summary(shown: &tracec_runtime::record::Report) -> String {
    let [records, lost, unknown] = [shown.records, shown.lost, shown.unknown].map(Grouped);
    let dropped = shown.dropped.map(|dropped| match shown.stacks {
        0 => format!(", {} left out", Grouped(dropped)),
        1 => format!(", {} left out with 1 stack", Grouped(dropped)),
        stacks => format!(", {} left out with {} stacks", Grouped(dropped), Grouped(stacks)),
    });
    let dropped = dropped.unwrap_or_default();
    // Where a page does not say how many, at least one was lost.
    let lost = if shown.uncounted > 0 { format!(">{lost}") } else { lost.to_string() };
    format!("{records} records{dropped}, {lost} lost, {unknown} of unknown events")
}

/// Refuses several recordings whose time stamps are not of one clock.
fn same_clock(found: &[Found<'_>]) -> Result<(), Failure> {
    let mut first: Option<(&Path, &str)> = None;
    if found.len() < 2 {
        return Ok(());
    }
    for Found { file, trace, .. } in found {
        for buffer in trace.buffers.iter().filter(|buffer| !buffer.cpus.is_empty()) {
            let (other, clock) = *first.get_or_insert((file, buffer.clock()));
            if clock != buffer.clock() {
                return Err(Failure::Usage(format!(
                    "the times of {} are of the clock `{}`, those of {} of `{clock}`: they cannot be merged",
                    file.display(),
                    buffer.clock(),
                    other.display()
                )));
            }
        }
    }
    Ok(())
}

/// Returns what a session asks of the records of a file, by a text that is checked for the kernel of the file.
fn asked(
    loaded: &Loaded,
    target: &'static Target,
    trace: &TraceDat<File>,
    file: &Path,
) -> Result<Asked, Failure> {
    let kernel = FormatsKernel::new(&trace.formats, format!("the kernel of {}", file.display()));
    let input = Input { target, ..loaded.input(&kernel) };
    let analysis = analyse(input, Choice::One(loaded.session.as_deref()));
    let select = if std::ptr::eq(target, &FILTER) { filtered } else { selected };
    let (asked, said) = analysis.make(select);
    let Some(asked) = asked else { return Err(Failure::Diagnostics(analysis.sources, said)) };
    print::diagnostics(&analysis.sources, &said);
    Ok(asked)
}

/// Returns the layout of a name.
fn named(name: &str) -> Result<&'static Form, Failure> {
    let found = LAYOUTS.into_iter().find(|layout| layout.name == name);
    found.ok_or_else(|| {
        let names = LAYOUTS.map(|layout| format!("`{}`", layout.name)).join(", ");
        Failure::Usage(format!("there is no layout `{name}`; there are {names}"))
    })
}
