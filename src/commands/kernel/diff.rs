//! `tracec kernel diff`: the differences between two kernels that affect sessions.

use std::io::Write;
use std::process::ExitCode;

use tracec::Diagnostic;
use tracec::kernel::save::{self, SaveOptions};
use tracec_compiler::diagnostic::codes::kernel_unreadable::kernel_unreadable;
use tracec_kernel::escaped::{Escaped, in_json};
use tracec_kernel::profile::{Picture, diff as difference};
use tracec_runtime::session::DEFAULT_RUNTIME_DIR;

use super::super::Failure;
use crate::cli::Live;
use crate::out::out;
use crate::selected_kernel;

/// The exit status if there are differences.
const DIFFERENT: u8 = 2;

/// Compares two kernels.
pub(crate) fn diff(before: &str, after: Option<&str>, live: &Live, json: bool) -> Result<ExitCode, Failure> {
    let a = saved(before)?;
    let b = match after {
        Some(name) => saved(name)?,
        None => running(live)?,
    };
    let difference = difference(&a, &b);
    let mut out = out();
    if json {
        let json = serde_json::to_string_pretty(&difference).map_err(std::io::Error::from)?;
        writeln!(out, "{}", in_json(&json))?;
    } else {
        let [from, to] = [&a, &b].map(|kernel| Escaped::text(&kernel.facts.release));
        let head = if difference.is_empty() { "no differences: " } else { "" };
        writeln!(out, "{head}from {from} to {to}")?;
        write!(out, "{difference}")?;
    }
    Ok(if difference.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(DIFFERENT) })
}

fn saved(name: &str) -> Result<Picture, Diagnostic> {
    let kernel = selected_kernel::named_profile(name)?;
    Picture::of_profile(kernel.profile()).map_err(|error| selected_kernel::profile(name, &error))
}

/// Reads the running kernel without trying features.
fn running(live: &Live) -> Result<Picture, Failure> {
    let tracefs = selected_kernel::tracefs(live)?;
    let options = SaveOptions {
        btf: false,
        functions: false,
        origin: None,
        may_write: false,
        runtime_dir: DEFAULT_RUNTIME_DIR.into(),
    };
    let unreadable = |reason: String| kernel_unreadable(None, &reason);
    let saved = save::save(&tracefs, &options).map_err(|error| unreadable(error.to_string()))?;
    Ok(Picture::of_contents(&saved.contents).map_err(|error| unreadable(error.to_string()))?)
}
