//! `tracec check`: the mistakes of a text.

mod fix;
pub(crate) mod options;

use std::io::Write;
use std::process::ExitCode;

use tracec_compiler::{Checked, Input, KernelSource, Severity, SourceText};

use super::Failure;
use crate::cli::{Kernel, Source};
use crate::{print, source, target_kernel};
use options::Options;

/// Checks every session of a text.
pub(crate) fn check(source: &Source, kernel: &Kernel, options: &Options) -> Result<ExitCode, Failure> {
    match look(source, kernel, options) {
        Err(Failure::Diagnostics(sources, said)) => {
            print::report(&sources, &said, options.format)?;
            Ok(ExitCode::FAILURE)
        }
        other => other,
    }
}

fn look(source: &Source, kernel: &Kernel, options: &Options) -> Result<ExitCode, Failure> {
    let settings = options.lints.settings()?;
    let loaded = source::load(source)?;
    let kernel = target_kernel::source(kernel)?;
    let check = |text: &SourceText| {
        let input = loaded.input(kernel.as_ref());
        tracec_compiler::check(Input { source: text, levels: &settings, ..input })
    };
    if options.fix {
        return fix::fix(&loaded.text, check, kernel.as_ref(), options);
    }
    tell(check(&loaded.text), kernel.as_ref(), options)
}

/// Shows what was found, or says that nothing is wrong.
fn tell(checked: Checked, kernel: &dyn KernelSource, options: &Options) -> Result<ExitCode, Failure> {
    let Checked { sources, diagnostics: said } = checked;
    if said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(Failure::Diagnostics(sources, said));
    }
    print::report(&sources, &said, options.format)?;
    if !options.format.is_data() {
        let name = &sources.main().name;
        writeln!(std::io::stdout(), "{name}: no mistakes for {}", kernel.describe())?;
    }
    Ok(ExitCode::SUCCESS)
}
