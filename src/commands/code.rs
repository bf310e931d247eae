//! The C files of `--with`, which become parts of what is built.

use std::fs::File;
use std::path::{Path, PathBuf};

use tracec_compiler::target;

use super::Failure;
use crate::read;

/// Reads the files.
///
/// # Errors
/// A name that kbuild does not take, two files of one name, or a file that cannot be read.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<target::File>, Failure> {
    let mut files: Vec<target::File> = Vec::new();
    for path in paths {
        let name = name(path)?;
        if files.iter().any(|other| other.name == name) {
            return Err(Failure::Usage(format!("`--with` has two files of the name `{name}`: rename one")));
        }
        let content = File::open(path).and_then(read::limited);
        let content = content.map_err(|error| unusable(path, &format!("it cannot be read: {error}")))?;
        if content.len() > tracec_grammar::MAX_SOURCE {
            return Err(unusable(path, "it is larger than any text that tracec reads"));
        }
        files.push(target::File { name, content, executable: false });
    }
    Ok(files)
}

/// Returns the name of a C file. kbuild makes an object of that name, in makefiles that have no quotes.
fn name(path: &Path) -> Result<String, Failure> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let name = path.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(".c"));
    match (name, stem) {
        (Some(name), Some(stem)) if !stem.is_empty() && stem.chars().all(is_plain) => Ok(name.to_owned()),
        _ => Err(unusable(path, "its name must end with `.c`, and have letters, digits, `_` and `-` only")),
    }
}

fn unusable(path: &Path, why: &str) -> Failure {
    Failure::Usage(format!("`--with {}`: {why}", path.display()))
}
