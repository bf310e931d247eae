//! `tracec run`: applies a session, streams its records, and undoes it.

use std::io::Write;
use std::process::ExitCode;

use tracec_compiler::SourceMap;
use tracec_kernel::plan::Plan;
use tracec_runtime::session::{self, RunOptions, Summary};

use super::prepared::{Prepared, load, prepare};
use super::{Failure, summarised};
use crate::cli::Run;
use crate::{machine, print};

/// Runs a session to its end.
pub(crate) fn run(run: &Run) -> Result<ExitCode, Failure> {
    let loaded = load(&run.session)?;
    let prepared = prepare(&run.session, &loaded, run.json, &run.command)?;
    let Prepared { live, plan, sources, options, has_left, built } = prepared;
    let options = RunOptions { status: !run.quiet, ..options };
    let ran = session::run(&live.0, &plan, options);
    drop(built);
    match ran {
        Ok(summary) => match ended(&plan, &summary, run, &sources) {
            _ if has_left => Ok(ExitCode::FAILURE),
            status => Ok(status),
        },
        Err(error) => Err(Failure::Diagnostics(sources, machine::run(&error, &plan))),
    }
}

/// Prints the summary and returns the exit status.
fn ended(plan: &Plan, summary: &Summary, options: &Run, sources: &SourceMap) -> ExitCode {
    if !options.quiet {
        // If standard error is closed, nothing can be reported.
        // One write: the end of the status line, which a stalled terminal has delayed, must not come between the parts.
        let text = summarised::text(plan, summary, options.losses);
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
    let errors = summarised::errors(plan, summary);
    print::diagnostics(sources, &errors);
    if summarised::report_residue(&summary.residue) || !errors.is_empty() {
        return ExitCode::FAILURE;
    }
    ExitCode::from(summarised::status(summary))
}
