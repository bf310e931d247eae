//! `tracec split IN -o OUT --from TIME --to TIME`: cuts a range of times out of a recording.

use std::process::ExitCode;

use tracec_kernel::grouped::Grouped;
use tracec_runtime::record::Form;

use super::{Failure, recording};
use crate::cli::Split;
use crate::print;

/// Writes the records of a trace.dat file within a range of times to another one.
pub(crate) fn split(arguments: &Split) -> Result<ExitCode, Failure> {
    let Split { file, output, from, to } = arguments;
    let mut recording = recording::open(file)?;
    let range = recording::range((file, &mut recording), from.as_ref(), to.as_ref())?;
    let outline = recording.outline().map_err(|error| recording::damaged(file, &error))?;
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
