//! `tracec split IN -o OUT --from TIME --to TIME --buffer NAME`: cuts a range of times, or a buffer, out of a recording.

use std::process::ExitCode;

use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::{Extract, Form};

use super::report::selection;
use super::{Failure, recording};
use crate::cli::Split;
use crate::print;

/// Writes the records of a trace.dat file within a range of times, or those of a buffer, to another one.
pub(crate) fn split(arguments: &Split) -> Result<ExitCode, Failure> {
    let Split { file, output, from, to, buffer, quiet } = arguments;
    let times = (from.as_ref(), to.as_ref());
    if (times, buffer) == ((None, None), &None) {
        let why = "which part is wanted? `--from TIME`, `--to TIME` and `--buffer NAME` say so, each alone or together";
        return Err(Failure::Usage(why.to_owned()));
    }
    let mut recording = recording::open(file)?;
    let range = match times {
        (None, None) => None,
        (from, to) => Some(recording::range((file, &mut recording), from, to)?),
    };
    if let Some(note) = range.and_then(|range| recording::outside((file, &mut recording), range, times)) {
        print::complain(&note);
    }
    let buffer = buffer.as_deref().map(|name| selection::buffer(&recording, name)).transpose()?;
    let extract = Extract { range, buffer };
    let outline = recording.outline().map_err(|error| recording::damaged(file, &error))?;
    let form = Form { version: outline.version, compression: outline.compression };
    let written = recording::write(
        (file, &mut recording),
        output,
        (form, &extract),
        Some("what is not in the part"),
        *quiet,
    )?;
    if *quiet {
        return recording::copied(file, &written);
    }
    // Without a range the records are not counted.
    let records = extract.range.map(|_| format!("{}, ", counted(written.records, "record")));
    print::complain(&format!(
        "{}: {}{} copied and {} cut\n",
        output.display(),
        records.unwrap_or_default(),
        counted(written.pages, "page"),
        Grouped(written.cut)
    ));
    recording::copied(file, &written)
}

/// Returns a count with its word.
fn counted(count: u64, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {word}{plural}", Grouped(count))
}
