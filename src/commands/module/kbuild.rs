//! Building a module with the headers of the running kernel.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use tracec_compiler::diagnostic::codes::module_not_built::{module_not_built, no_headers};
use tracec_compiler::{Diagnostic, target};

use super::super::Failure;

/// A module that was built. Its file may have no name any more: it is there while this value is.
pub(crate) struct Built {
    file: File,
}

/// The greatest number of lines of gcc that are shown.
const LINES: usize = 20;

impl Built {
    fn open(path: &Path) -> Result<Built, Failure> {
        let file = File::open(path)
            .map_err(|error| module_not_built(&format!("{} cannot be read: {error}", path.display())))?;
        Ok(Built { file })
    }

    /// Returns a path by which this process opens the file.
    pub(crate) fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }
}

/// Finds a module in the directory where it was built.
pub(super) fn find(directory: &Path, name: &str) -> Result<Built, Failure> {
    let path = directory.join(format!("{name}.ko"));
    if !path.is_file() {
        let why = format!("there is no {name}.ko in {}", directory.display());
        return Err(module_not_built(&why).into());
    }
    Built::open(&path)
}

/// Builds a module in a temporary directory, of which nothing is left when this returns.
pub(super) fn build(sources: &[target::File], name: &str) -> Result<Built, Failure> {
    let headers = headers()?;
    let failed = |error: std::io::Error| Failure::from(module_not_built(&error.to_string()));
    let directory = tempfile::Builder::new().prefix("tracec-module-").tempdir().map_err(failed)?;
    for file in sources {
        fs::write(directory.path().join(&file.name), &file.content).map_err(failed)?;
    }
    let output = Command::new("make")
        .arg("-C")
        .arg(&headers)
        .arg(format!("M={}", directory.path().display()))
        .arg("modules")
        .env("LC_ALL", "C")
        .output()
        .map_err(|error| module_not_built(&format!("make cannot be started: {error}")))?;
    if !output.status.success() {
        return Err(refusal(&String::from_utf8_lossy(&output.stderr), directory.path()).into());
    }
    Built::open(&directory.path().join(format!("{name}.ko")))
}

/// Returns the directory of the headers of the running kernel.
fn headers() -> Result<PathBuf, Failure> {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let directory = Path::new("/lib/modules").join(&release).join("build");
    match directory.join("Makefile").is_file() {
        true => Ok(directory),
        false => Err(no_headers(&directory.display().to_string(), &release).into()),
    }
}

/// Returns what kbuild says of a module that it does not build. The paths are those of files that no longer exist: they
/// are shown by their names.
fn refusal(said: &str, directory: &Path) -> Diagnostic {
    let directory = format!("{}/", directory.display());
    let is_of_gcc = |line: &&str| line.contains("error:") || line.starts_with("ERROR:");
    let mut lines: Vec<String> = Vec::new();
    for line in said.lines().filter(is_of_gcc) {
        let line = line.replace(&directory, "").replace("./", "");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() {
        lines = said.lines().map(str::to_owned).collect();
    }
    let shown = lines.iter().take(LINES).cloned();
    shown.fold(module_not_built("kbuild refuses it"), |diagnostic, line| diagnostic.note(line))
}
