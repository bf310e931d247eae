//! The files of the repository.

use std::path::{Path, PathBuf};

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns every file of the repository with this ending.
pub fn files(ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut directories = vec![root()];
    while let Some(directory) = directories.pop() {
        let entries = std::fs::read_dir(&directory).unwrap_or_else(|error| panic!("{directory:?}: {error}"));
        for path in entries.map(|entry| entry.expect("a readable directory").path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && !path.is_symlink() && !name.starts_with('.') && name != "target" {
                directories.push(path);
            } else if path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the `.trc` files of the repository that this version can parse: an example may wait for a statement that is
/// not implemented yet, and says so in its first line.
pub fn sessions() -> Vec<PathBuf> {
    let waits = |path: &PathBuf| {
        let text = read(path);
        let error = |error: &SyntaxError| matches!(error.kind, SyntaxErrorKind::NotImplemented { .. });
        text.starts_with("//! Waits for ") && tracec_grammar::parse(&text).errors.iter().any(error)
    };
    files("trc").into_iter().filter(|path| !waits(path)).collect()
}
