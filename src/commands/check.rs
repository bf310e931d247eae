//! `tracec check`: the mistakes of a text.

use std::io::Write;
use std::process::ExitCode;

use tracec_compiler::Severity;

use super::Failure;
use crate::cli::{Kernel, Source};
use crate::{print, source, target_kernel};

/// Checks every session of a text.
pub(crate) fn check(source: &Source, kernel: &Kernel) -> Result<ExitCode, Failure> {
    let loaded = source::load(source)?;
    let kernel = target_kernel::source(kernel)?;
    let diagnostics = tracec_compiler::check(&loaded.text, kernel.as_ref());
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(Failure::Diagnostics(loaded.text, diagnostics));
    }
    print::diagnostics(&loaded.text, &diagnostics);
    writeln!(std::io::stdout(), "{}: no mistakes for {}", loaded.text.name, kernel.describe())?;
    Ok(ExitCode::SUCCESS)
}
