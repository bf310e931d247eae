//! `tracec split IN -o OUT --from TIME --to TIME`: cuts a range of times out of a recording.

use std::process::ExitCode;

use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{Form, Range};
use tracec_runtime::sink::Timestamps;

use super::{Failure, recording};
use crate::cli::Split;
use crate::moment::{End, Moment};
use crate::print;

/// Writes the records of a trace.dat file within a range of times to another one.
pub(crate) fn split(arguments: &Split) -> Result<ExitCode, Failure> {
    let Split { file, output, from, to } = arguments;
    let mut recording = recording::open(file)?;
    let damaged = |error| recording::damaged(file, &error);
    let outline = recording.outline().map_err(damaged)?;
    let is_relative = [from, to].into_iter().flatten().any(Moment::is_relative);
    let begin = if is_relative { recording.begin().map_err(damaged)?.unwrap_or(0) } else { 0 };
    let (clock, offset) = (recording.clock().to_owned(), outline.time_offset());
    let is_seconds = Timestamps::of_clock(&clock) == Timestamps::Nanoseconds;
    let time = |moment: &Option<Moment>, end: End, otherwise: u64| match moment {
        None => Ok(otherwise),
        Some(moment) if is_seconds => Ok(moment.nanoseconds(begin, offset, end)),
        Some(moment) => moment.count(offset).ok_or_else(|| {
            Failure::Usage(format!(
                "the clock of {} is `{clock}`, whose times are plain numbers: `{moment}` is not one",
                file.display()
            ))
        }),
    };
    let range = Range { from: time(from, End::First, 0)?, to: time(to, End::Last, u64::MAX)? };
    if range.from > range.to {
        return Err(Failure::Usage("the time of `--from` is behind that of `--to`".to_owned()));
    }
    let form = Form { version: outline.version, compression: outline.compression };
    let written = recording::write((file, &mut recording), output, form, Some(range))?;
    print::complain(&format!(
        "{}: {}, {} copied and {} cut\n",
        output.display(),
        counted(written.records, "record"),
        counted(written.pages, "page"),
        Grouped(written.cut)
    ));
    Ok(ExitCode::SUCCESS)
}

/// Returns a count with its word.
fn counted(count: u64, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {word}{plural}", Grouped(count))
}
