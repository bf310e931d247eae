//! The subcommands, one file each.

pub(crate) mod attach;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod clean;
mod clear;
mod code;
pub(crate) mod collect;
mod confirm;
pub(crate) mod convert;
pub(crate) mod drift;
pub(crate) mod dump;
mod dumps;
pub(crate) mod explain;
pub(crate) mod filter;
pub(crate) mod fmt;
mod follow;
mod form;
pub(crate) mod kernel;
pub(crate) mod list;
pub(crate) mod lsp;
pub(crate) mod mark;
mod module;
pub(crate) mod pause;
pub(crate) mod plan;
mod prepared;
mod recording;
pub(crate) mod recover;
pub(crate) mod report;
pub(crate) mod resume;
pub(crate) mod run;
pub(crate) mod snapshot;
mod split;
pub(crate) mod start;
mod started;
pub(crate) mod status;
pub(crate) mod stop;
mod summarised;
pub(crate) mod summary;
pub(crate) mod tail;
mod units;
mod unknown;

use std::process::ExitCode;

use tracec_compiler::{Diagnostic, SourceMap, SourceText};

use crate::cli::{Cli, Command};
use crate::print;

/// The exit status for wrong usage (`EX_USAGE` of sysexits.h): 1 and 2 have meanings of their own.
pub(crate) const USAGE: u8 = 64;

/// The reason why a subcommand ends early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Diagnostics about a text, or about the machine, with an empty source map.
    Diagnostics(SourceMap, Vec<Diagnostic>),
    /// Contradicting options that the parser of the command line accepts.
    Usage(String),
    /// A signal that ends this process has arrived.
    Interrupted,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Diagnostics(nowhere(), vec![diagnostic])
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        use tracec_compiler::diagnostic::codes::output_failed::output_failed;
        output_failed(None, "standard output", &error.to_string()).into()
    }
}

/// Returns the empty source map of diagnostics about the machine.
fn nowhere() -> SourceMap {
    SourceMap::new(SourceText::default())
}

/// Runs a command line.
pub(crate) fn dispatch(cli: Cli) -> ExitCode {
    let result = match cli.command {
        Command::Check { source, kernels, options } => check::check(&source, &kernels, &options),
        Command::Plan { source, kernel, instance, module, json, output } => {
            plan::plan(&source, &kernel, instance.as_deref(), &module, json, output.as_deref())
        }
        Command::Run(run) => run::run(&run),
        Command::Start(arguments) => start::start(&arguments),
        Command::Status { started, json } => status::status(&started, json),
        Command::Stop(started) => stop::stop(&started),
        Command::Pause(started) => pause::pause(&started),
        Command::Resume(started) => resume::resume(&started),
        Command::Mark { words, runtime_dir } => mark::mark(words, runtime_dir),
        Command::Snapshot { started, output } => snapshot::snapshot(&started, output.as_deref()),
        Command::Collect(arguments) => collect::collect(arguments),
        Command::Clear(started) => clear::clear(&started),
        Command::Tail(started) => tail::tail(&started),
        Command::Attach(started) => attach::attach(&started),
        Command::Confirm(started) => confirm::confirm(&started),
        Command::Drift(started) => drift::drift(&started),
        Command::Build(arguments) => build::build(&arguments),
        Command::List { pattern, verbose, kind, kernel } => {
            list::list(pattern.as_deref(), verbose, kind, &kernel)
        }
        Command::Fmt(arguments) => fmt::fmt(&arguments),
        Command::Lsp { kernels, import_path, stdio: _ } => lsp::lsp(kernels, import_path),
        Command::Report(arguments) => report::report(&arguments),
        Command::Filter(arguments) => filter::filter(&arguments),
        Command::Summary(arguments) => summary::summary(&arguments),
        Command::Convert(arguments) => convert::convert(&arguments),
        Command::Split(arguments) => split::split(&arguments),
        Command::Dump { file, json } => dump::dump(&file, json),
        Command::Recover { kernel, runtime_dir, instance } => {
            recover::recover(&kernel, &runtime_dir, instance.as_deref())
        }
        Command::Clean { kernel, runtime_dir, dry_run } => clean::clean(&kernel, &runtime_dir, dry_run),
        Command::Kernel(command) => kernel::kernel(&command),
        Command::Explain(arguments) => explain::explain(&arguments),
    };
    result.unwrap_or_else(|failure| ExitCode::from(complain(failure)))
}

/// Prints the reason why a subcommand has ended early. Returns the exit status.
fn complain(failure: Failure) -> u8 {
    match failure {
        Failure::Diagnostics(sources, diagnostics) => {
            print::diagnostics(&sources, &diagnostics);
            1
        }
        Failure::Usage(why) => {
            print::complain(&format!("error: {why}\n"));
            USAGE
        }
        // The signal has ended the process before, unless it was blocked when the process was started.
        Failure::Interrupted => 1,
    }
}
