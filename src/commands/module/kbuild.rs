//! Building a module with the headers of the running kernel.

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::Command;

use tracec_compiler::Diagnostic;
use tracec_compiler::diagnostic::codes::module_not_built::{module_not_built, no_headers, refused_by_gcc};
use tracec_compiler::target::{self, Lines};

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

/// Why a module is not built.
pub(super) enum Refused {
    /// What kbuild says of it.
    ByKbuild(String),
    /// It was not started.
    Before(Failure),
}

impl From<Diagnostic> for Refused {
    fn from(diagnostic: Diagnostic) -> Self {
        Refused::Before(diagnostic.into())
    }
}

/// Builds a module in a temporary directory, of which nothing is left when this returns.
pub(super) fn build(sources: &[target::File], name: &str) -> Result<Built, Refused> {
    let headers = headers().map_err(Refused::Before)?;
    let failed = |error: std::io::Error| Refused::from(module_not_built(&error.to_string()));
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
        // The files are gone when this is read: they are shown by their names.
        let below = format!("{}/", directory.path().display());
        let said = String::from_utf8_lossy(&output.stderr).replace(&below, "").replace("./", "");
        return Err(Refused::ByKbuild(said));
    }
    Built::open(&directory.path().join(format!("{name}.ko"))).map_err(Refused::Before)
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

/// Returns what kbuild says of a module that it does not build: each error of gcc at the part of the text that its line
/// is for, and else all that it says.
pub(super) fn diagnostics(said: &str, lines: Option<&Lines>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    let mut others: Vec<&str> = Vec::new();
    for line in said.lines() {
        let error = lines.and_then(|lines| {
            let (at, message) =
                line.split_once(" error: ").map(|(at, rest)| (at.trim_end_matches(" fatal"), rest))?;
            let number = at.strip_prefix(&lines.file)?.strip_prefix(':')?.split(':').next()?;
            Some(refused_by_gcc(lines.part(number.parse().ok()?)?, message))
        });
        match error {
            Some(error) if found.contains(&error) => {}
            Some(error) => found.push(error),
            None if line.contains("error:") || line.starts_with("ERROR:") => others.push(line),
            None => {}
        }
    }
    if found.is_empty() {
        let all: Vec<&str> = if others.is_empty() { said.lines().collect() } else { others };
        let shown = all.into_iter().take(LINES);
        found.push(shown.fold(module_not_built("kbuild refuses it"), Diagnostic::note));
    }
    found.sort_by_key(|said| said.primary.as_ref().map(|label| label.span));
    found.truncate(LINES);
    found
}

#[cfg(test)]
mod tests {
    use tracec_grammar::span::Span;

    use super::*;

    #[test]
    fn error_of_gcc_is_reported_at_its_definition() {
        let lines = Lines::new("s_trace.h", vec![(3, Span::new(1, 4)), (5, Span::new(7, 9))]);
        let said = "In file included from x.h:1,\ns_trace.h:4:9: error: no `x`\ns_trace.h:4:9: error: no `x`\n\
                    s_trace.h:2: fatal error: y.h: No such file\nz.c:3:1: error: other\n";
        let found = diagnostics(said, Some(&lines));
        let places: Vec<_> = found
            .iter()
            .map(|said| (said.code.id, said.primary.as_ref().map(|label| (label.span, label.text.as_str()))))
            .collect();
        let expected = [(Span::new(1, 4), "y.h: No such file"), (Span::new(7, 9), "no `x`")];
        assert_eq!(places, expected.map(|place| ("T0522", Some(place))));
    }

    #[test]
    fn message_without_a_line_of_the_header_is_shown_as_it_is() {
        let said = "make: entering\nERROR: modpost: \"x\" [y.ko] undefined!\nmake: *** [x] Error 2\n";
        let [found] = &diagnostics(said, None)[..] else { panic!("one diagnostic") };
        assert_eq!(found.notes[1..], ["ERROR: modpost: \"x\" [y.ko] undefined!"]);
    }
}
