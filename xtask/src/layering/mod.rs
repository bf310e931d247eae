//! The invariants of ARCHITECTURE.md that a test can check and no lint of rustc or clippy can, and its map.

mod crates;
mod heads;
mod map;
mod modules;
mod targets;

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::workspace;

/// A place that breaks an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The file, relative to the root of the workspace.
    pub file: PathBuf,
    /// The line, counted from 1; 0 for the file as a whole.
    pub line: usize,
    /// The violation.
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

/// An invariant and its violations.
#[derive(Debug)]
pub struct Check {
    /// The invariant as a sentence.
    pub invariant: &'static str,
    /// The violations; empty if it holds.
    pub violations: Vec<Violation>,
}

/// Checks every invariant on the workspace as it is on disk.
pub fn check() -> Result<Vec<Check>> {
    let root = workspace::root();
    let document = std::fs::read_to_string(root.join(map::DOCUMENT)).context(map::DOCUMENT)?;
    let mut checks = crates::check(&workspace::metadata(&["--no-deps"])?)?;
    checks.push(crates::documented(&document));
    checks.push(modules::check(&root)?);
    checks.push(targets::check(&root)?);
    checks.extend(map::check(&root, &document)?);
    checks.push(heads::check(&root)?);
    Ok(checks)
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
}
