//! The texts in the folders of an editor, which may import each other.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tracec_compiler::SourceText;

use crate::read;

/// The entries of all directories that are looked at, at most. A folder with more is not a project of sessions.
const MOST: usize = 200_000;

/// Returns the texts of all `.trc` files in some directories and below them. What is hidden, links to directories, and what
/// this user may not read is left out, and files that cannot be a text.
///
/// # Errors
/// A sentence, if some files may be missing.
pub(super) fn texts(directories: &[String]) -> Result<Vec<SourceText>, String> {
    let mut waiting: Vec<PathBuf> = directories.iter().map(PathBuf::from).collect();
    let mut seen = 0;
    let mut all = Vec::new();
    while let Some(directory) = waiting.pop() {
        let failed = |error: io::Error| format!("`{}` cannot be searched: {error}", directory.display());
        let entries = match fs::read_dir(&directory) {
            // What somebody else keeps there is no part of the project.
            Err(error) if is_denied(&error) && !directories.iter().any(|given| *directory == **given) => {
                continue;
            }
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let entry = entry.map_err(failed)?;
            seen += 1;
            if seen > MOST {
                let first = directories.first().map_or("", String::as_str);
                return Err(format!("`{first}` has more than {MOST} files, which are not searched"));
            }
            let (path, kind) = (entry.path(), entry.file_type().map_err(failed)?);
            if entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            let is_file = || kind.is_file() || (kind.is_symlink() && path.is_file());
            if kind.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|ending| ending == "trc") && is_file() {
                all.extend(text(&path)?);
            }
        }
    }
    Ok(all)
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}

/// Reads a file. `None` if it cannot be a text, or may not be read: then no other one imports it.
fn text(path: &Path) -> Result<Option<SourceText>, String> {
    let failed = |error: io::Error| format!("`{}` cannot be read: {error}", path.display());
    let bytes = match fs::File::open(path).and_then(read::limited) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound || is_denied(&error) => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let (Ok(text), Some(name)) = (tracec_grammar::decode(&bytes), path.to_str()) else { return Ok(None) };
    Ok(Some(SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_are_found_and_hidden_directories_left_out() {
        let root = tempfile::tempdir().expect("a directory");
        for (name, text) in [
            ("a.trc", "const A = 1;"),
            ("sub/b.trc", "const B = 1;"),
            (".git/c.trc", "const C = 1;"),
            ("d.txt", "const D = 1;"),
            ("broken.trc", "\u{0}"),
        ] {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
            fs::write(path, text).expect("a file");
        }
        fs::write(root.path().join("other.trc"), [0xff, 0xfe]).expect("a file");
        fs::write(root.path().join(".e.trc"), "const E = 1;").expect("a file");
        let outside = tempfile::NamedTempFile::new().expect("a file");
        std::os::unix::fs::symlink(outside.path(), root.path().join("link.trc")).expect("a link");
        std::os::unix::fs::symlink("/nothing", root.path().join("dangling.trc")).expect("a link");
        let directory = root.path().to_str().expect("UTF-8").to_owned();
        let found = texts(std::slice::from_ref(&directory)).expect("the files");
        let mut names: Vec<&str> = found.iter().map(|text| text.name.rsplit('/').next().unwrap()).collect();
        names.sort_unstable();
        assert_eq!(names, ["a.trc", "b.trc", "broken.trc", "link.trc"]);
        let missing = texts(&[format!("{directory}/missing")]).expect_err("no directory");
        assert!(missing.contains("cannot be searched"), "{missing}");
    }
}
