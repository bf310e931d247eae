//! `tracec filter FILE CONDITION|a.trc [-o OUT]`: finds records of a recording.

use std::path::Path;
use std::process::ExitCode;

use tracec_compiler::target::Target;
use tracec_compiler::target::report::{FILTER, REPORT};
use tracec_kernel::format::EventFormat;
use tracec_runtime::record::{Form, RewriteError, write_filtered};

use super::report::{self, Found};
use super::{Failure, recording};
use crate::cli::{Filter, ShowOptions, SourceOptions};
use crate::print;
use crate::progress::Progress;
use crate::source::{self, Loaded};

/// Prints the records of trace.dat files for which a condition holds, or writes them to a file.
pub(crate) fn filter(arguments: &Filter) -> Result<ExitCode, Failure> {
    let Filter { arguments, source, output, show } = arguments;
    let (files, (loaded, target)) = match (&source.expression, arguments.as_slice()) {
        (Some(_), files) => (files, (source::load_or(None, source)?, &REPORT)),
        (None, [condition, file]) if is_swapped(condition, file) => {
            return Err(Failure::Usage(format!(
                "the recording stands first: tracec filter {file} '{condition}'"
            )));
        }
        (None, [files @ .., condition]) if !files.is_empty() => (files, text(condition, source)?),
        (None, _) => {
            let why = "what is to be found is missing: tracec filter FILE 'EVENT if CONDITION'";
            return Err(Failure::Usage(why.to_owned()));
        }
    };
    let form = report::form(show)?;
    recording::named_once(files.iter().map(Path::new))?;
    let open = |file| {
        let file = Path::new(file);
        let found = Found::open(file, &show.selection, Some((&loaded, target)));
        match (found, &source.expression, arguments.last()) {
            (Err(failure), None, Some(condition)) => Err(of_field(failure, file, condition)),
            (found, ..) => found,
        }
    };
    let mut found: Vec<Found<'_>> = files.iter().map(open).collect::<Result<_, _>>()?;
    found.iter().for_each(Found::say_outside);
    match (output, found.as_mut_slice()) {
        (None, found) => report::print(found, form, show),
        (Some(output), [found]) => write(found, output, show),
        (Some(_), _) => {
            let why =
                "`-o` writes the records of one recording, since a trace.dat file is of one machine and boot";
            Err(Failure::Usage(why.to_owned()))
        }
    }
}

/// Returns whether two arguments are a condition, or a file with one, and a recording.
fn is_swapped(condition: &str, file: &str) -> bool {
    let is_text = condition.ends_with(".trc") || !Path::new(condition).exists();
    is_text && file.ends_with(".dat") && Path::new(file).is_file()
}

/// Returns a failure with what is meant by a condition that is the name of a field alone: the rest of one that is not in
/// quotes may be gone, since a shell writes to the file behind `>`.
fn of_field(failure: Failure, file: &Path, condition: &str) -> Failure {
    let Failure::Diagnostics(sources, mut said) = failure else { return failure };
    let of_event = |format: &EventFormat| {
        let field = format.field(condition).filter(|field| !field.name.starts_with("common_"))?;
        let value = if field.integer().is_some() { "> 5" } else { "== \"...\"" };
        Some(format!("{} if {condition} {value}", format.qualified_name()))
    };
    let of_all = || {
        let field = ["pid", "cpu", "comm"].into_iter().find(|field| condition.ends_with(field))?;
        let value = if field == "comm" { "== \"sh\"" } else { "> 5" };
        Some(format!("*:* if current.{field} {value}"))
    };
    let is_word = condition.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let trace = recording::open(file).ok().filter(|_| is_word);
    let example = trace.and_then(|trace| trace.formats.iter().find_map(of_event).or_else(of_all));
    if let Some(example) = example
        && let Some(first) = said.pop()
    {
        let help = format!(
            "a field needs an event and a comparison, in quotes, since a shell writes to the file behind `>`: tracec filter {} \
             '{example}'",
            file.display()
        );
        said.push(first.help(help));
    }
    Failure::Diagnostics(sources, said)
}

/// Returns the text that an argument is or names.
fn text(argument: &str, options: &SourceOptions) -> Result<(Loaded, &'static Target), Failure> {
    let path = argument.rsplit_once('#').map_or(argument, |(path, _)| path);
    if path.ends_with(".trc") || Path::new(argument).is_file() {
        return Ok((source::load_or(Some(argument), options)?, &FILTER));
    }
    Ok((source::load_text(argument, options)?, &REPORT))
}

/// Writes what was found in a recording to another file.
fn write(found: &mut Found<'_>, output: &Path, show: &ShowOptions) -> Result<ExitCode, Failure> {
    if !show.options.is_empty() {
        return Err(Failure::Usage(
            "`--option` changes nothing: a trace.dat file has records as they are".to_owned(),
        ));
    }
    let file = found.file;
    let new = recording::begin(file, output, Some("what is not found"))?;
    let outline = found.trace.outline().map_err(|error| recording::damaged(file, &error))?;
    let form = Form { version: outline.version, compression: outline.compression };
    let failed = |reason: String| recording::copy_failed((file, output), &reason);
    let kept = (&found.filter, found.shown.as_slice());
    let progress = Progress::start([(file, found.trace.pages_read())], show.quiet, false);
    let written = write_filtered(&mut found.trace, kept, report::threads(), new.file(), form);
    drop(progress);
    let (_, written) = written.map_err(|error| match error {
        RewriteError::File(error) => recording::damaged(file, &error),
        other => failed(other.to_string()),
    })?;
    recording::keeps_all((file, output), &written.rewritten)?;
    new.complete().map_err(|error| failed(error.to_string()))?;
    recording::say_damaged(&written.rewritten);
    if !show.quiet {
        print::complain(&format!("{}: {}\n", output.display(), report::summary(&written.report)));
    }
    found.code.complain();
    recording::copied(file, &written.rewritten)
}
