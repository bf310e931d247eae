//! Who may know whom, and what may stand where: the invariants of ARCHITECTURE.md that a machine can check.

mod code;
mod crates;
mod rules;
mod targets;

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::workspace;

/// A place that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The file, relative to the root of the workspace.
    pub file: PathBuf,
    /// The line, counted from 1; 0 if it is the file as a whole.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        write!(f, " {}", self.what)
    }
}

/// An invariant, and the places that break it.
#[derive(Debug)]
pub struct Check {
    /// The invariant as a sentence.
    pub invariant: &'static str,
    /// Empty if it holds.
    pub violations: Vec<Violation>,
}

/// Checks every invariant on the workspace as it is on disk.
pub fn check() -> Result<Vec<Check>> {
    let root = workspace::root();
    let metadata = workspace::metadata(&["--no-deps"])?;
    let sources = sources(&root)?;
    let mut checks = crates::check(&metadata)?;
    checks.push(targets::check(&sources));
    checks.extend(rules::check(&sources));
    Ok(checks)
}

/// A Rust file of the product: what it is without comments, texts and tests.
struct Source {
    path: PathBuf,
    code: String,
}

impl Source {
    fn new(path: PathBuf, text: &str) -> Self {
        Self { path, code: code::of_product(text) }
    }

    /// The numbered lines of the code.
    fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// All Rust files below the `src` directories of the workspace that go into the product, sorted by path.
fn sources(root: &Path) -> Result<Vec<Source>> {
    let mut paths = Vec::new();
    let is_rust = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    workspace::files_below(root, &["target"], &is_rust, &mut paths)?;
    let mut files = Vec::new();
    for path in paths {
        let relative = path.strip_prefix(root).context("a file below the root")?.to_path_buf();
        if relative.components().any(|part| part.as_os_str() == "src") {
            let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            files.push((relative, text));
        }
    }
    Ok(of_product(files))
}

/// Leaves out the files that are declared as `#[cfg(test)] mod NAME;`, and what lies below them.
fn of_product(files: Vec<(PathBuf, String)>) -> Vec<Source> {
    let declared = files.iter().flat_map(|(path, text)| {
        let directory = modules_of(path);
        code::test_modules(text).into_iter().map(move |name| directory.join(name))
    });
    let tests: Vec<PathBuf> = declared.collect();
    let is_test =
        |path: &Path| tests.iter().any(|test| path.with_extension("") == *test || path.starts_with(test));
    let product = files.into_iter().filter(|(path, _)| !is_test(path));
    product.map(|(path, text)| Source::new(path, &text)).collect()
}

/// The directory in which the modules of a file lie.
fn modules_of(path: &Path) -> PathBuf {
    let is_root = ["mod.rs", "lib.rs", "main.rs"].iter().any(|name| path.ends_with(name));
    if is_root { path.with_file_name("") } else { path.with_extension("") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_names_its_place() {
        let violation = Violation { file: "kernel/src/lib.rs".into(), line: 7, what: "uses unsafe".into() };
        assert_eq!(violation.to_string(), "kernel/src/lib.rs:7: uses unsafe");
        let violation = Violation { line: 0, ..violation };
        assert_eq!(violation.to_string(), "kernel/src/lib.rs: uses unsafe");
    }

    #[test]
    fn files_of_tests_are_no_product() {
        let text = "#[cfg(test)]\nmod testing;\nmod real;";
        let files = [
            ("a/src/x/mod.rs", text),
            ("a/src/x/testing.rs", ""),
            ("a/src/x/real.rs", text),
            ("a/src/x/real/testing/mod.rs", ""),
            ("a/src/testing.rs", "// no test module here"),
        ];
        let files = files.map(|(path, text)| (path.into(), text.to_owned())).into();
        let paths: Vec<PathBuf> = of_product(files).into_iter().map(|source| source.path).collect();
        assert_eq!(paths, ["a/src/x/mod.rs", "a/src/x/real.rs", "a/src/testing.rs"].map(PathBuf::from));
    }

    #[test]
    fn our_own_sources_are_found() {
        let sources = sources(&workspace::root()).unwrap();
        assert!(sources.iter().any(|source| source.path == Path::new("xtask/src/layering/mod.rs")));
        assert!(sources.iter().all(|source| !source.path.starts_with("target")));
    }
}
