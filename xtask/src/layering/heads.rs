//! The first line of each file of sources says what the file is for: the map of ARCHITECTURE.md ends at the rooms, and
//! their files speak for themselves.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::{Check, Violation};
use crate::workspace;

/// The rooms with sources; those of tests that belong to no crate are not among them.
const ROOMS: [&str; 11] =
    ["span", "grammar", "kernel", "compiler", "runtime", "lsp", "oracle", "src", "fuzz", "benches", "xtask"];

/// Directories that hold no sources of the project.
const SKIPPED: [&str; 1] = ["target"];

/// Finds files whose first line does not say what they are for.
pub(super) fn check(root: &Path) -> Result<Check> {
    let mut paths = Vec::new();
    let is_rust = |path: &Path| path.extension() == Some("rs".as_ref());
    for room in ROOMS {
        workspace::files_below(&root.join(room), &SKIPPED, &is_rust, &mut paths)?;
    }
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((path.strip_prefix(root)?.to_path_buf(), text))
    };
    let files = paths.into_iter().map(read).collect::<Result<Vec<_>>>()?;
    Ok(Check { invariant: "the first line of each file says what it is for", violations: violations(&files) })
}

/// A line that another file begins with as well says nothing of either.
fn violations(files: &[(PathBuf, String)]) -> Vec<Violation> {
    let mut first_with: BTreeMap<&str, &Path> = BTreeMap::new();
    let mut found = Vec::new();
    for (file, text) in files {
        let line = text.lines().next().unwrap_or_default();
        let what = match first_with.insert(line, file) {
            _ if !line.starts_with("//! ") => {
                "does not begin with a line `//! ..` that says what it is for".to_owned()
            }
            Some(other) => format!("begins with the line of {}", other.display()),
            None => continue,
        };
        found.push(Violation { file: file.clone(), line: 1, what });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| (path.into(), (*text).to_owned())).collect();
        violations(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn file_without_a_first_line_is_found() {
        let right = ("a.rs", "//! The letter.\n\nfn a() {}\n");
        assert!(found(&[right]).is_empty());
        let expected = "b.rs:1: does not begin with a line `//! ..` that says what it is for";
        for wrong in ["fn a() {}\n//! Late.\n", "", "//!\n//! On the second line.\n", "/// Of an item.\n"] {
            assert_eq!(found(&[right, ("b.rs", wrong)]), [expected], "{wrong:?}");
        }
    }

    #[test]
    fn line_of_another_file_is_found() {
        let files = [("a.rs", "//! The letter.\n"), ("b.rs", "//! The letter.\nfn b() {}\n")];
        assert_eq!(found(&files), ["b.rs:1: begins with the line of a.rs"]);
    }
}
