//! One file per subcommand.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod explain;
pub(crate) mod fmt;
pub(crate) mod kernel;
pub(crate) mod list;
pub(crate) mod plan;
pub(crate) mod recover;
pub(crate) mod report;
pub(crate) mod run;
mod unknown;

use std::process::ExitCode;

use tracec_compiler::{Diagnostic, SourceMap, SourceText};

use crate::cli::{Cli, Command};
use crate::print;

/// What ends a subcommand early.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Diagnostics about a text, or about the machine where the text plays no part.
    Diagnostics(SourceMap, Vec<Diagnostic>),
    /// Options that contradict each other in a way that the command line's parser cannot see.
    Usage(String),
    /// Standard output was closed by its reader: an end, not an error.
    OutputClosed,
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Diagnostics(nowhere(), vec![diagnostic])
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        use tracec_compiler::diagnostic::codes::output_failed::output_failed;
        if error.kind() == std::io::ErrorKind::BrokenPipe {
            return Failure::OutputClosed;
        }
        output_failed(None, "standard output", &error.to_string()).into()
    }
}

/// The text of diagnostics about the machine: none.
fn nowhere() -> SourceMap {
    SourceMap::new(SourceText::default())
}

/// Carries out a command line.
pub(crate) fn dispatch(cli: Cli) -> ExitCode {
    let result = match cli.command {
        Command::Check { source, kernels, options } => check::check(&source, &kernels, &options),
        Command::Plan { source, kernel, instance, json, output } => {
            plan::plan(&source, &kernel, instance.as_deref(), json, output.as_deref())
        }
        Command::Run(run) => run::run(&run),
        Command::Build(arguments) => build::build(&arguments),
        Command::List { pattern, verbose, kind, kernel } => {
            list::list(pattern.as_deref(), verbose, kind, &kernel)
        }
        Command::Fmt(arguments) => fmt::fmt(&arguments),
        Command::Report { file, json } => report::report(&file, json),
        Command::Recover { kernel, runtime_dir } => recover::recover(&kernel, &runtime_dir),
        Command::Kernel(command) => kernel::kernel(&command),
        Command::Explain(arguments) => explain::explain(&arguments),
    };
    match result {
        Ok(code) => code,
        Err(Failure::OutputClosed) => ExitCode::SUCCESS,
        Err(Failure::Diagnostics(sources, diagnostics)) => {
            print::diagnostics(&sources, &diagnostics);
            ExitCode::FAILURE
        }
        Err(Failure::Usage(why)) => {
            print::complain(&format!("error: {why}\n"));
            ExitCode::from(crate::USAGE)
        }
    }
}
