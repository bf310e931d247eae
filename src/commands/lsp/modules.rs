//! The modules of the library as files, which an editor can open: an address of another form needs an editor that knows
//! it.

use std::env;
use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// Returns the path of the file of a module, in the user's cache. It is written if it is not there as it should be.
pub(super) fn file(name: &str, text: &str) -> io::Result<PathBuf> {
    let cache = cache(|name| env::var_os(name).map(PathBuf::from));
    file_in(&cache.ok_or_else(|| io::Error::other("neither HOME nor XDG_CACHE_HOME is a path"))?, name, text)
}

/// Returns whether a file is in the place of those of the modules.
pub(super) fn is_file(path: &Path) -> bool {
    cache(|name| env::var_os(name).map(PathBuf::from)).is_some_and(|cache| path.starts_with(cache))
}

/// Returns the directory of the cache (XDG base directories: a relative path is to be ignored).
fn cache(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let absolute = |name: &str| variable(name).filter(|path| path.is_absolute());
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join("tracec"))
}

fn file_in(cache: &Path, name: &str, text: &str) -> io::Result<PathBuf> {
    let path = cache.join(name);
    if fs::read(&path).is_ok_and(|found| found == text.as_bytes()) {
        return Ok(path);
    }
    let directory = path.parent().unwrap_or(cache);
    fs::create_dir_all(directory)?;
    // Several servers may write it at the same time: each writes a file of its own, and the last one stays.
    let mut file = NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    // What a user changes here would not be compiled.
    file.as_file().set_permissions(Permissions::from_mode(0o444))?;
    file.persist(&path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_has_the_text_and_is_read_only() {
        let cache = tempfile::tempdir().expect("a directory");
        for text in ["const A = 1;\n", "const A = 2;\n", "const A = 2;\n"] {
            let path = file_in(cache.path(), "std/errno.trc", text).expect("a file");
            assert_eq!(fs::read_to_string(&path).expect("the file"), text);
            let mode = fs::metadata(&path).expect("the file").permissions().mode();
            assert_eq!(mode & 0o777, 0o444);
        }
        let files = fs::read_dir(cache.path().join("std")).expect("the directory").count();
        assert_eq!(files, 1);
    }

    #[test]
    fn cache_is_that_of_the_user() {
        let of = |cache_home: &str, home: &str| {
            let variables = [("XDG_CACHE_HOME", cache_home), ("HOME", home)];
            cache(|wanted| {
                variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| PathBuf::from(value))
            })
        };
        assert_eq!(of("/c", "/h"), Some(PathBuf::from("/c/tracec")));
        assert_eq!(of("relative", "/h"), Some(PathBuf::from("/h/.cache/tracec")));
        assert_eq!(of("", ""), None);
    }
}
