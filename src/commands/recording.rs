//! What subcommands share that write a recording from another one.

use std::fs::File;
use std::path::Path;

use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::damaged_record::damaged_record;
use tracec_compiler::diagnostic::codes::output_failed::output_failed;
use tracec_runtime::record::{Form, Range, RewriteError, Rewritten, TraceDat, TraceDatError, rewrite};

use crate::new_file::NewFile;
use crate::print;

/// Returns the error of a recording that cannot be read.
pub(super) fn damaged(file: &Path, error: &TraceDatError) -> Diagnostic {
    damaged_record(&format!("{}: {error}", file.display()))
}

/// Opens a recording.
pub(super) fn open(file: &Path) -> Result<TraceDat<File>, Diagnostic> {
    TraceDat::open(file).map_err(|error| damaged(file, &error))
}

/// Writes a recording in a form to another file, or the records in a range of times. The file may be the recording
/// itself. It gets its name when it is complete; of a failure nothing is left.
pub(super) fn write(
    (file, recording): (&Path, &mut TraceDat<File>),
    output: &Path,
    form: Form,
    range: Option<Range>,
) -> Result<Rewritten, Diagnostic> {
    let failed = |reason: String| output_failed(None, &output.display().to_string(), &reason);
    let new = NewFile::create(output).map_err(|error| failed(error.to_string()))?;
    let written = rewrite(recording, new.file(), form, range).map_err(|error| match error {
        RewriteError::File(error) => damaged(file, &error),
        other => failed(other.to_string()),
    });
    let (_, rewritten) = written?;
    new.complete().map_err(|error| failed(error.to_string()))?;
    for part in &rewritten.left_out {
        let version = form.version.number();
        print::complain(&format!("note: {part} is left out: it cannot be written in version {version}\n"));
    }
    Ok(rewritten)
}
