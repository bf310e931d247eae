//! Imported files, read relative to the file that imports them.

use std::path::{Component, Path, PathBuf};

use tracec_compiler::source::ImportError;
use tracec_compiler::{Imports, SourceText};

use crate::read;

/// The file system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Files;

impl Imports for Files {
    fn read(&self, from: &str, path: &str) -> Result<SourceText, ImportError> {
        let name = beside(from, path);
        let error = |reason: String| ImportError { reason };
        let bytes = read::bytes(&name).map_err(|e| error(e.to_string()))?;
        let text = tracec_grammar::decode(&bytes).map_err(|e| error(e.to_string()))?;
        Ok(SourceText { name, text: text.to_owned(), one_liner: false })
    }
}

/// Returns a path relative to the directory of a file in normal form, so that a file has one name.
fn beside(from: &str, path: &str) -> String {
    let directory = Path::new(from).parent().unwrap_or(Path::new(""));
    normal(&directory.join(path)).to_string_lossy().into_owned()
}

/// Returns a path in normal form.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            // After a symbolic link, `a/..` is not the parent of `a`, but a reader of the text expects that it is.
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn import_is_relative_to_the_file_that_names_it() {
        for (from, path, expected) in [
            ("a.trc", "b.trc", "b.trc"),
            ("dir/a.trc", "b.trc", "dir/b.trc"),
            ("dir/a.trc", "../b.trc", "b.trc"),
            ("dir/a.trc", "./x/../b.trc", "dir/b.trc"),
            ("/etc/a.trc", "/usr/b.trc", "/usr/b.trc"),
            ("a.trc", "../b.trc", "../b.trc"),
            ("../../a.trc", "../b.trc", "../../../b.trc"),
            ("-", "b.trc", "b.trc"),
        ] {
            assert_eq!(beside(from, path), expected, "{path} from {from}");
        }
    }
}
