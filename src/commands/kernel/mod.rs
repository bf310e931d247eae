//! `tracec kernel`: saved kernels. One file per subcommand.

mod diff;
mod list;
mod save;

use std::process::ExitCode;

use super::Failure;
use crate::cli::KernelCommand;

/// Runs a subcommand of `tracec kernel`.
pub(crate) fn kernel(command: &KernelCommand) -> Result<ExitCode, Failure> {
    match command {
        KernelCommand::Save { live, output, no_btf, no_functions, origin, runtime_dir } => {
            let options = tracec::kernel::save::SaveOptions {
                btf: !no_btf,
                functions: !no_functions,
                origin: origin.clone(),
                may_write: true,
                runtime_dir: runtime_dir.clone(),
            };
            save::save(live, output.as_deref(), &options)
        }
        KernelCommand::List { verbose } => list::list(*verbose),
        KernelCommand::Diff { before, after, live, json } => {
            diff::diff(before, after.as_deref(), live, *json)
        }
    }
}
