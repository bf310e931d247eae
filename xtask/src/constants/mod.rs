//! `cargo xtask constants [--check]`: the constants of the standard library, from the sources of the kernel.
//!
//! Debian's packages of the kernel's source are unpacked into the cache; `make headers` makes the headers for programs
//! from the newest. The names that a header defines are read from the output of gcc's preprocessor; a program that gcc
//! compiles prints their values. Headers inside the kernel compile only with a configuration: their definitions are
//! extracted and compiled under each combination of the options they mention, and only a name with the same value in
//! all of them is taken.
//!
//! The files name the package, its version and its day, so that the same packages give the same bytes.

mod arch;
mod book;
mod check;
mod checked;
mod evaluate;
mod extract;
mod gcc;
mod generate;
mod read;
mod scan;
mod source;
mod table;
mod write;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};

pub use checked::Checked;
use source::Packages;

use crate::debian::DownloadFailed;
use crate::workspace;

/// The result of a check.
#[derive(Debug)]
pub enum Outcome {
    /// The check was done.
    Checked(Checked),
    /// The packages are not available, for this reason.
    NoPackages(String),
}

/// Runs `cargo xtask constants [--check]`.
///
/// # Errors
/// Other arguments; a package is not available; a header is not as the table says.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        [] => generate(),
        ["--check"] => match check()? {
            Outcome::Checked(checked) => Ok(report(&checked)),
            Outcome::NoPackages(why) => bail!("{why}"),
        },
        _ => bail!("usage: cargo xtask constants [--check]"),
    }
}

/// Tests the files of the standard library against the packages.
///
/// # Errors
/// gcc or make cannot be run, or a header is not as the table says.
pub fn check() -> Result<Outcome> {
    let packages = match Packages::newest() {
        Ok(packages) => packages,
        Err(error) => return Ok(Outcome::NoPackages(format!("{error:#}"))),
    };
    match check::check(&packages, &workspace::root()) {
        Err(error) if error.downcast_ref::<DownloadFailed>().is_some() => {
            Ok(Outcome::NoPackages(format!("{error:#}")))
        }
        result => result.map(Outcome::Checked),
    }
}

fn generate() -> Result<ExitCode> {
    let sources = Packages::newest()?.sources()?;
    let changed = check::write(&sources, &workspace::root())?;
    for path in &changed {
        println!("{path}");
    }
    println!("{} files changed", changed.len());
    Ok(ExitCode::SUCCESS)
}

fn report(checked: &Checked) -> ExitCode {
    for line in checked.notes.iter().chain(&checked.failures) {
        println!("{line}");
    }
    println!(
        "{} constants compared with headers, {} files as generated, {} failures",
        checked.asserted,
        checked.identical,
        checked.failures.len()
    );
    if checked.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the text of a file of the tree.
fn on_disk(root: &Path, path: &str) -> Result<String> {
    fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))
}
