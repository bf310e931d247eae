//! What subcommands of recordings share: how one is opened, times of it, and how one is written from another.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::damaged_record::damaged_record;
use tracec_compiler::diagnostic::codes::output_failed::{self, output_failed};
use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{
    Damage, Extract, Form, Range, RewriteError, Rewritten, TraceDat, TraceDatError, rewrite,
};
use tracec_runtime::sink::{JSON_LINES, TRACE_DAT, Timestamps, is_being_written};

use super::form::of_path;
use super::{Failure, nowhere};
use crate::moment::{End, Moment};
use crate::print;
use crate::progress::Progress;
use tracec_runtime::sink::NewFile;

/// Returns the error of a recording that cannot be read.
pub(super) fn damaged(file: &Path, error: &TraceDatError) -> Diagnostic {
    let shown = file.display();
    let said = damaged_record(&format!("{shown}: {error}"));
    let help = match error {
        TraceDatError::Packed { program } => {
            Some(format!("`{program} -dc {shown} > {}` unpacks it", unpacked(file).display()))
        }
        TraceDatError::NotTraceDat => meant(file),
        TraceDatError::Io(error) if error.kind() == ErrorKind::NotFound && is_condition(file) => {
            Some(format!("a condition stands behind the recording: tracec filter FILE '{shown}'"))
        }
        TraceDatError::Io(error) if error.kind() == ErrorKind::NotFound && file == Path::new("-") => Some(
            "standard input is not read, since a recording is read at many places: write it to a file, `cat > NEW.dat`, and \
             name that"
                .to_owned(),
        ),
        TraceDatError::Io(error) if error.kind() == ErrorKind::NotFound && is_time(file) => {
            Some(format!("times are named: `--from {shown} --to TIME`, each alone or together"))
        }
        _ => None,
    };
    help.into_iter().fold(said, Diagnostic::help)
}

/// Returns the failure for places of recordings that cannot be read, where all else was shown or written. `None` if there are
/// none.
pub(super) fn incomplete(files: &[&Path], found: &Damage) -> Option<Failure> {
    let of_file = |index: usize| files.get(index).copied().unwrap_or(Path::new(""));
    let mut said: Vec<Diagnostic> =
        found.first().iter().map(|(index, error)| damaged(of_file(*index), error)).collect();
    let more = found.count().saturating_sub(said.len() as u64);
    let last = said.pop()?;
    let last = match more {
        0 => last,
        1 => last.note("1 more place cannot be read".to_owned()),
        more => last.note(format!("{} more places cannot be read", Grouped(more))),
    };
    said.push(last.note("all else was read".to_owned()));
    Some(Failure::Diagnostics(nowhere(), said))
}

/// Returns what a file is for that is not a recording, by its name.
fn meant(file: &Path) -> Option<String> {
    let shown = file.display();
    match of_path(file) {
        Some(form) if std::ptr::eq(form, &JSON_LINES) => {
            Some(format!("it has JSON lines, which `tracec report {shown}` shows"))
        }
        None if file.extension().is_some_and(|ending| ending == "trc") => Some(format!(
            "it is a session: `tracec run {shown}` runs it, and `tracec filter FILE {shown}` finds its records"
        )),
        _ => None,
    }
}

/// Returns whether the name of a file is the text of a condition.
fn is_condition(file: &Path) -> bool {
    file.to_str().is_some_and(|text| text.contains(':') && !text.contains(['/', '\'']))
}

/// Returns whether the name of a file is that of a time.
fn is_time(file: &Path) -> bool {
    file.to_str().is_some_and(|text| text.parse::<Moment>().is_ok())
}

/// Returns a name for what a compressed file has.
fn unpacked(file: &Path) -> PathBuf {
    let is_ending = |ending: &OsStr| ["gz", "xz", "zst", "bz2"].iter().any(|known| ending == *known);
    match file.extension() {
        Some(ending) if is_ending(ending) => file.with_extension(""),
        _ => PathBuf::from("NEW.dat"),
    }
}

/// Opens a recording.
pub(super) fn open(file: &Path) -> Result<TraceDat<File>, Diagnostic> {
    TraceDat::open(file).map_err(|error| damaged(file, &error))
}

/// Returns the range of times between two moments of a recording; without one it reaches to the end on that side.
pub(super) fn range(
    (file, recording): (&Path, &mut TraceDat<File>),
    from: Option<&Moment>,
    to: Option<&Moment>,
) -> Result<Range, Failure> {
    let is_relative = from.into_iter().chain(to).any(Moment::is_relative);
    // The first page of each CPU is read for it.
    let begin = if is_relative { recording.begin() } else { None };
    let notation = recording.overview().buffers.first().map_or(Timestamps::Nanoseconds, |of| of.timestamps);
    let time = |moment: Option<&Moment>, end: End, otherwise: u64| match moment {
        None => Ok(otherwise),
        Some(moment) if notation == Timestamps::Nanoseconds => {
            Ok(moment.nanoseconds(begin.unwrap_or(0), end))
        }
        Some(moment) => moment.count().ok_or_else(|| {
            Failure::Usage(format!(
                "the clock of {} is `{}`, whose times are plain numbers: `{moment}` is not one",
                file.display(),
                recording.clock()
            ))
        }),
    };
    let range = Range { from: time(from, End::First, 0)?, to: time(to, End::Last, u64::MAX)? };
    if range.from > range.to {
        return Err(Failure::Usage("`--from` is after `--to`".to_owned()));
    }
    Ok(range)
}

/// Returns what there is to say of a range in which no record of a recording lies: which times it has. Nothing is said of one
/// that may get more records.
pub(super) fn outside(
    (file, recording): (&Path, &mut TraceDat<File>),
    range: Range,
    (from, to): (Option<&Moment>, Option<&Moment>),
) -> Option<String> {
    if recording.is_growing() || (from, to) == (None, None) {
        return None;
    }
    let times = (recording.begin()?, recording.end()?);
    let notation = recording.overview().buffers.first().map_or(Timestamps::Nanoseconds, |of| of.timestamps);
    outside_of(file, (times, notation), range, (from, to))
}

/// Returns the same of a file whose first and last time are known.
pub(super) fn outside_of(
    file: &Path,
    ((begin, end), notation): ((u64, u64), Timestamps),
    range: Range,
    (from, to): (Option<&Moment>, Option<&Moment>),
) -> Option<String> {
    let (option, moment, is_late) = match (from, to) {
        (Some(from), _) if range.from > end => ("--from", from, "as late as"),
        (_, Some(to)) if range.to < begin => ("--to", to, "as early as"),
        _ => return None,
    };
    let [first, last] = [begin, end].map(|time| notation.shown(time));
    let hint = match moment.is_relative() {
        true => "; with a unit a time counts from the first record, without one it is that of a report",
        false => "",
    };
    Some(format!(
        "note: no record of {} is {is_late} `{option} {moment}`: they are from {first} to {last}{hint}\n",
        file.display()
    ))
}

/// Returns whether two paths are of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let file = |path: &Path| std::fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
    file(one).is_some_and(|one| Some(one) == file(other))
}

/// Refuses a recording that is named more than once: its records would be there as many times.
pub(super) fn named_once<'p>(files: impl IntoIterator<Item = &'p Path>) -> Result<(), Failure> {
    let mut known: Vec<&Path> = Vec::new();
    for file in files {
        if let Some(other) = known.iter().find(|other| is_same(other, file)) {
            let (one, other) = (file.display(), other.display());
            let names = if one.to_string() == other.to_string() {
                format!("{one} is named twice")
            } else {
                format!("{other} and {one} are the same file")
            };
            return Err(Failure::Usage(format!(
                "{names}: each of its records would be there twice; name it once"
            )));
        }
        known.push(file);
    }
    Ok(())
}

/// Returns the path that symbolic links lead to. The file need not exist.
fn target(path: &Path) -> PathBuf {
    let mut target = path.to_path_buf();
    // As many as the kernel follows (`MAXSYMLINKS`, include/linux/namei.h).
    for _ in 0..40 {
        let Ok(link) = std::fs::read_link(&target) else { break };
        target = target.parent().unwrap_or(Path::new("")).join(link);
    }
    target
}

/// Returns the refusal to replace a recording by what lacks a part of it.
fn itself(output: &Path, lost: &str) -> Failure {
    let shown = output.display();
    Failure::Usage(format!(
        "{shown} is the recording itself: {lost} would be lost; name another file behind `-o`"
    ))
}

/// Begins the file that is to be written from a recording. It may be the recording itself, unless something of it would be
/// `lost`, and replaces no file that may not be written.
///
/// Where a symbolic link has its name, the file is that which the link leads to.
pub(super) fn begin(file: &Path, output: &Path, lost: Option<&str>) -> Result<NewFile, Failure> {
    let shown = output.display();
    let target = target(output);
    if let Some(lost) = lost.filter(|_| is_same(file, output)) {
        return Err(itself(output, lost));
    }
    if let Some(form) = of_path(output).filter(|form| !std::ptr::eq(*form, &TRACE_DAT)) {
        return Err(Failure::Usage(format!(
            "{shown} is a name for {}, and a trace.dat file is written: let it end in `.dat`, or print records with `tracec \
             report FILE > {shown}`",
            form.name
        )));
    }
    // To open a pipe waits for somebody who writes to it.
    let is_file = std::fs::metadata(output).is_ok_and(|found| found.is_file());
    if is_file && File::open(output).is_ok_and(is_being_written) {
        return Err(Failure::Usage(format!(
            "{shown} is being written by a session: name another file behind `-o`"
        )));
    }
    let is_read_only = |found: &Metadata| found.is_file() && found.permissions().readonly();
    if std::fs::symlink_metadata(&target).is_ok_and(|found| is_read_only(&found)) {
        return Err(Failure::Usage(format!(
            "{shown} is read-only: name another file behind `-o`, or let it be replaced with `chmod u+w {shown}`"
        )));
    }
    NewFile::create(&target)
        .map_err(|error| output_failed(None, &shown.to_string(), &error.to_string()).into())
}

/// Returns the exit status of a copy of a recording that was written as far as that could be read.
pub(super) fn copied(file: &Path, rewritten: &Rewritten) -> Result<ExitCode, Failure> {
    match incomplete(&[file], &rewritten.damage) {
        Some(failure) => Err(failure),
        None if rewritten.is_complete() => Ok(ExitCode::SUCCESS),
        None => Ok(ExitCode::FAILURE),
    }
}

/// Says which parts a new file lacks because they are damaged.
pub(super) fn say_damaged(rewritten: &Rewritten) {
    for (part, error) in &rewritten.damaged {
        print::complain(&format!("note: {part} is left out: {error}\n"));
    }
}

/// Refuses to replace a recording by a copy that lacks a part of it.
pub(super) fn keeps_all((file, output): (&Path, &Path), rewritten: &Rewritten) -> Result<(), Failure> {
    let of_pages = (!rewritten.damage.is_empty()).then_some("what cannot be read of it");
    let parts = rewritten.damaged.iter().map(|(part, _)| part).chain(&rewritten.left_out);
    match parts.map(String::as_str).chain(of_pages).next() {
        Some(lost) if is_same(file, output) => Err(itself(output, lost)),
        _ => Ok(()),
    }
}

/// Returns the error for a file that cannot be written from a recording.
pub(super) fn copy_failed((file, output): (&Path, &Path), reason: &str) -> Diagnostic {
    output_failed::copy_failed(&output.display().to_string(), reason, &file.display().to_string())
}

/// Writes a recording in a form to another file, or an extract of it without what would be `lost`. The file gets its
/// name when it is complete; of a failure nothing is left.
pub(super) fn write(
    (file, recording): (&Path, &mut TraceDat<File>),
    output: &Path,
    (form, extract): (Form, &Extract),
    lost: Option<&str>,
    quiet: bool,
) -> Result<Rewritten, Failure> {
    let new = begin(file, output, lost)?;
    let failed = |reason: String| copy_failed((file, output), &reason);
    let progress = Progress::start([(file, recording.pages_read())], quiet, false);
    let written = rewrite(recording, new.file(), form, extract).map_err(|error| match error {
        RewriteError::File(error) => damaged(file, &error).into(),
        asked @ RewriteError::NoBuffer { .. } => Failure::Usage(format!("{}: {asked}", file.display())),
        other => failed(other.to_string()).into(),
    });
    drop(progress);
    let (_, rewritten) = written?;
    keeps_all((file, output), &rewritten)?;
    new.complete().map_err(|error| failed(error.to_string()))?;
    say_damaged(&rewritten);
    for part in &rewritten.left_out {
        let version = form.version.number();
        print::complain(&format!("note: {part} is left out: it cannot be written in version {version}\n"));
    }
    Ok(rewritten)
}
