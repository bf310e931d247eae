//! `tracec kernel save`: saves the running kernel to a file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tracec::Diagnostic;
use tracec::kernel::library;
use tracec::kernel::save::{self, SaveError, SaveOptions};
use tracec_compiler::diagnostic::codes;
use tracec_kernel::profile::{Facts, encode};

use super::super::Failure;
use crate::cli::Live;
use crate::out::out;
use crate::{machine, selected_kernel};

/// Saves the running kernel.
pub(crate) fn save(live: &Live, output: Option<&Path>, options: &SaveOptions) -> Result<ExitCode, Failure> {
    let tracefs = selected_kernel::tracefs(live)?;
    if !tracefs.is_tracefs() {
        // Release and page size are those of the running machine; a copy may be of another.
        return Err(codes::not_tracefs::not_tracefs(&tracefs.path().display().to_string()).into());
    }
    let saved = save::save(&tracefs, options).map_err(|error| diagnostic(&error))?;
    for sentence in &saved.left_out {
        // If standard error is closed, nothing can be reported.
        let _ = writeln!(io::stderr(), "tracec: left out: {sentence}");
    }
    let facts = &saved.contents.facts;
    let path = match output {
        Some(path) => path.to_owned(),
        None => default_path(facts)?,
    };
    let bytes = encode(&saved.contents).map_err(|error| selected_kernel::profile(&facts.release, &error))?;
    write(&path, &bytes).map_err(|error| {
        codes::output_failed::output_failed(None, &path.display().to_string(), &error.to_string())
    })?;
    writeln!(
        out(),
        "{}: kernel {}, {} events, {} KiB",
        path.display(),
        facts.release,
        saved.contents.events.len(),
        bytes.len().div_ceil(1024)
    )?;
    Ok(ExitCode::SUCCESS)
}

fn diagnostic(error: &SaveError) -> Diagnostic {
    match error {
        SaveError::Tracefs(error) => machine::tracefs(error),
        SaveError::Unreadable(reason) => codes::kernel_unreadable::kernel_unreadable(None, reason),
        SaveError::Left(left) => machine::left(&left.0),
    }
}

/// Returns the path at which `--kernel RELEASE` looks, and creates its directory.
fn default_path(facts: &Facts) -> Result<PathBuf, Diagnostic> {
    let failed = |path: &str, reason: &str| codes::output_failed::output_failed(None, path, reason);
    let directory = library::directory().ok_or_else(|| {
        failed(
            "the directory of saved kernels",
            "neither XDG_DATA_HOME nor HOME is set; give `--output FILE`",
        )
    })?;
    fs::create_dir_all(&directory)
        .map_err(|error| failed(&directory.display().to_string(), &error.to_string()))?;
    Ok(directory.join(format!("{}.{}", facts.release.replace('/', "_"), library::ENDING)))
}

/// Writes a file atomically, so that a reader finds the old or the new one. A device or pipe is written directly.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        return fs::write(path, bytes);
    }
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let new = path.with_file_name(name);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&new)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&new, path));
    if written.is_err() {
        // The file may not exist; only the first error is reported.
        let _ = fs::remove_file(&new);
    }
    written
}
