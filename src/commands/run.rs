//! `tracec run`: apply, stream, stop, put back.

use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitCode, ExitStatus};
use std::time::Duration;

use tracec::LiveKernel;
use tracec_compiler::diagnostic::codes::json_and_output::json_and_output;
use tracec_compiler::{KernelSource, Severity};
use tracec_grammar::span::Span;
use tracec_kernel::plan::{Plan, RecordFormat};
use tracec_runtime::session::{self, Ended, RunOptions, Summary};
use tracec_runtime::sink::Output;

use super::Failure;
use super::plan::{Compiled, compile};
use crate::cli::Run;
use crate::{machine, print, source, target_kernel};

/// Runs a session to its end.
pub(crate) fn run(run: &Run) -> Result<ExitCode, Failure> {
    let loaded = source::load(&run.source)?;
    let live = LiveKernel(target_kernel::tracefs(&run.kernel)?);
    if !live.0.is_tracefs() {
        let path = live.0.path().display().to_string();
        return Err(tracec_compiler::diagnostic::codes::not_tracefs::not_tracefs(&path).into());
    }
    let Compiled { plan, sources } = match &run.profile {
        Some(name) => {
            let profile = target_kernel::named(name)?;
            let compiled = compile(&loaded, profile.as_ref(), run.instance.as_deref())?;
            Compiled { plan: with_live_layouts(compiled.plan, &live)?, ..compiled }
        }
        None => compile(&loaded, &live, run.instance.as_deref())?,
    };
    if let (true, Some(output)) = (run.json, &plan.output) {
        let span = Span { start: output.origin.start, end: output.origin.end };
        return Err(Failure::Diagnostics(sources, vec![json_and_output(span)]));
    }
    let options = RunOptions {
        runtime_dir: run.runtime_dir.clone(),
        command: (!run.command.is_empty()).then(|| run.command.clone()),
        output: output(&plan, run.json),
        status: !run.quiet,
    };
    match session::run(&live.0, &plan, options) {
        Ok(summary) => Ok(ended(&plan, &summary, run.quiet)),
        Err(error) => Err(Failure::Diagnostics(sources, machine::run(&error, &plan))),
    }
}

/// The plan with the layouts of the kernel that runs: a profile may be of another, and records are read as they are
/// written. An event that this kernel lacks keeps the profile's layout; enabling it will be refused at its clause.
fn with_live_layouts(mut plan: Plan, live: &LiveKernel) -> Result<Plan, Failure> {
    use tracec_compiler::diagnostic::codes::kernel_unreadable::kernel_unreadable;
    use tracec_kernel::{format::EventFormat, page::PageLayout};
    let read = |path: &str| live.read(path).map_err(|error| kernel_unreadable(None, &error.to_string()));
    for format in &mut plan.formats {
        let path = format!("events/{}/{}/format", format.system, format.name);
        if let Some(text) = read(&path)? {
            *format = EventFormat::parse(&format.system, &text)
                .map_err(|error| kernel_unreadable(None, &format!("{path}: {error}")))?;
        }
    }
    if let Some(text) = read("events/header_page")? {
        plan.page = PageLayout::parse(&text)
            .map_err(|error| kernel_unreadable(None, &format!("events/header_page: {error}")))?;
    }
    Ok(plan)
}

fn output(plan: &Plan, json: bool) -> Output {
    match &plan.output {
        Some(output) => Output::File { path: output.path.clone().into(), format: output.format },
        None if json => Output::Stdout(RecordFormat::JsonLines),
        None => Output::Stdout(RecordFormat::Text),
    }
}

/// Says how it went and finds the exit status.
fn ended(plan: &Plan, summary: &Summary, quiet: bool) -> ExitCode {
    if !quiet {
        // Where standard error is gone there is nobody left to tell.
        let _ = writeln!(std::io::stderr(), "{}", sentence(plan, summary));
    }
    if let Some(diagnostic) = machine::residue(&summary.residue) {
        debug_assert_eq!(diagnostic.severity, Severity::Error);
        print::diagnostics(&super::nowhere(), &[diagnostic]);
        return ExitCode::FAILURE;
    }
    summary.command_status.map_or(ExitCode::SUCCESS, command_status)
}

/// `quickstart: 12 records, nothing lost, ended after 3 s`.
fn sentence(plan: &Plan, summary: &Summary) -> String {
    let lost: u64 = summary.lost.iter().map(|(_, lost)| lost).sum();
    let lost = match lost {
        0 => "nothing lost".to_owned(),
        lost => {
            let cpus: Vec<String> =
                summary.lost.iter().map(|(cpu, lost)| format!("cpu {cpu}: {lost}")).collect();
            format!("{lost} records lost ({})", cpus.join(", "))
        }
    };
    let end = match summary.ended_by {
        Ended::StopAfter => format!("ended after {}", human(plan.life.stop_after.unwrap_or(summary.elapsed))),
        Ended::Signal(signal) => format!("ended by signal {signal} after {}", human(summary.elapsed)),
        Ended::CommandExited(status) => format!("ended with its command ({status})"),
        Ended::OutputClosed => "ended because its output was closed".to_owned(),
    };
    let unknown = match summary.unknown {
        0 => String::new(),
        unknown => format!(", {unknown} of other events left out"),
    };
    let incomplete = if summary.output_complete { "" } else { ", not all of them written" };
    let running =
        summary.command_running.map_or(String::new(), |pid| format!("; its command still runs (pid {pid})"));
    format!("{}: {} records{incomplete}{unknown}, {lost}, {end}{running}", plan.session, summary.records)
}

fn human(duration: Duration) -> String {
    match duration.as_millis() {
        ms if ms < 1000 => format!("{ms} ms"),
        ms if ms % 1000 == 0 => format!("{} s", ms / 1000),
        ms => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
    }
}

/// The command's own status, as a shell would give it: 128 and the signal's number if one killed it.
fn command_status(status: ExitStatus) -> ExitCode {
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}
