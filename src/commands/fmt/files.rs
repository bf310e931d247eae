//! The files to format.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use crate::read;

/// A directory or file that cannot be read, with the error.
pub(super) type Unreadable = (PathBuf, io::Error);

/// Returns the `.trc` files below a directory, sorted. Hidden directories and symbolic links are skipped: a link may
/// lead out of the directory, or to a parent of it.
pub(super) fn below(directory: &Path) -> Vec<Result<PathBuf, Unreadable>> {
    let mut found = Vec::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        match entries(&directory) {
            Err(error) => found.push(Err((directory, error))),
            Ok(entries) => {
                for (path, kind) in entries {
                    if kind.is_dir() && !is_hidden(&path) {
                        directories.push(path);
                    } else if kind.is_file() && path.extension().is_some_and(|ending| ending == "trc") {
                        found.push(Ok(path));
                    }
                }
            }
        }
    }
    found.sort_by(|a, b| path_of(a).cmp(path_of(b)));
    found
}

fn entries(directory: &Path) -> io::Result<Vec<(PathBuf, fs::FileType)>> {
    fs::read_dir(directory)?
        .map(|entry| entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))))
        .collect()
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}

fn path_of(found: &Result<PathBuf, Unreadable>) -> &Path {
    match found {
        Ok(path) | Err((path, _)) => path,
    }
}

/// Returns the bytes of a regular file. A pipe or device could be read, but not replaced by another file.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    read::limited(File::open(path)?)
}
