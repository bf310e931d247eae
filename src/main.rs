//! The command `tracec`.

mod cli;
mod commands;
mod diff;
mod imports;
mod lints;
mod machine;
mod moment;
mod out;
mod print;
mod progress;
mod read;
mod replace;
mod selected_kernel;
mod source;
mod usage;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

fn main() -> ExitCode {
    match cli::Cli::try_parse() {
        Ok(cli) => commands::dispatch(cli),
        Err(error) => {
            let subcommand = std::env::args_os().nth(1).unwrap_or_default();
            let error = usage::advised(error, &subcommand.to_string_lossy());
            // Printing help or a usage error fails only if the output is closed.
            let _ = error.print();
            match error.kind() {
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
                _ => ExitCode::from(commands::USAGE),
            }
        }
    }
}
