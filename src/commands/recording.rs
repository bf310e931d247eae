//! What subcommands of recordings share: how one is opened, times of it, and how one is written from another.

use std::fs::File;
use std::path::Path;

use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::damaged_record::damaged_record;
use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_runtime::record::{
    Extract, Form, Range, RewriteError, Rewritten, TraceDat, TraceDatError, rewrite,
};
use tracec_runtime::sink::Timestamps;

use super::Failure;
use crate::moment::{End, Moment};
use crate::print;
use crate::progress::Progress;
use tracec_runtime::sink::NewFile;

/// Returns the error of a recording that cannot be read.
pub(super) fn damaged(file: &Path, error: &TraceDatError) -> Diagnostic {
    damaged_record(&format!("{}: {error}", file.display()))
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
    let begin = if is_relative { recording.begin().map_err(|error| damaged(file, &error))? } else { None };
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

/// Writes a recording in a form to another file, or an extract of it. The file may be the recording itself. It gets its
/// name when it is complete; of a failure nothing is left.
pub(super) fn write(
    (file, recording): (&Path, &mut TraceDat<File>),
    output: &Path,
    (form, extract): (Form, &Extract),
    quiet: bool,
) -> Result<Rewritten, Failure> {
    let failed = |reason: String| output_failed(None, &output.display().to_string(), &reason);
    let new = NewFile::create(output).map_err(|error| failed(error.to_string()))?;
    let progress = Progress::start([(file, recording.pages_read())], quiet, false);
    let written = rewrite(recording, new.file(), form, extract).map_err(|error| match error {
        RewriteError::File(error) => damaged(file, &error).into(),
        asked @ RewriteError::NoBuffer { .. } => Failure::Usage(format!("{}: {asked}", file.display())),
        other => failed(other.to_string()).into(),
    });
    drop(progress);
    let (_, rewritten) = written?;
    new.complete().map_err(|error| failed(error.to_string()))?;
    for part in &rewritten.left_out {
        let version = form.version.number();
        print::complain(&format!("note: {part} is left out: it cannot be written in version {version}\n"));
    }
    Ok(rewritten)
}
