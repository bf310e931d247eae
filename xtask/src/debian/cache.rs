//! The cache of downloads and builds, outside the source tree.
//!
//! An entry is a directory that is complete or absent: it is filled under another name and then renamed. One lock file
//! per entry keeps two runs from filling the same one, while different entries can be filled at the same time.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Returns the cache's directory: `$TRACEC_CACHE`, else `$XDG_CACHE_HOME/tracec`, else `~/.cache/tracec`.
///
/// # Errors
///
/// None of the variables is set.
pub fn root() -> Result<PathBuf> {
    root_from(|name| env::var_os(name))
}

/// Returns the directory of the entry `key`, filled by `fill` if it is not there yet.
///
/// `fill` gets an empty directory; if it fails, its files stay there as `KEY.partial` (a build log, for example) until
/// the next try.
///
/// # Errors
///
/// The cache cannot be written, or an error of `fill`.
pub fn entry(key: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    entry_in(&root()?, key, fill)
}

fn root_from(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf> {
    // The XDG specification: a relative path is to be ignored, and so is an empty one.
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if let Some(path) = variable("TRACEC_CACHE").filter(|path| !path.is_empty()) {
        return std::path::absolute(path).context("TRACEC_CACHE is not a path");
    }
    if let Some(path) = absolute("XDG_CACHE_HOME") {
        return Ok(path.join("tracec"));
    }
    let home = absolute("HOME").context("no cache: none of TRACEC_CACHE, XDG_CACHE_HOME, HOME is set")?;
    Ok(home.join(".cache/tracec"))
}

fn entry_in(root: &Path, key: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let place = root.join(key);
    if place.exists() {
        return Ok(place);
    }
    fs::create_dir_all(root).with_context(|| format!("cannot create the cache {}", root.display()))?;
    let _lock = lock(&root.join(format!("{key}.lock")))?;
    // Another run may have filled it while this one waited.
    if place.exists() {
        return Ok(place);
    }
    let partial = root.join(format!("{key}.partial"));
    if partial.exists() {
        fs::remove_dir_all(&partial).with_context(|| format!("cannot remove {}", partial.display()))?;
    }
    fs::create_dir(&partial).with_context(|| format!("cannot create {}", partial.display()))?;
    fill(&partial)?;
    fs::rename(&partial, &place).with_context(|| format!("cannot create {}", place.display()))?;
    Ok(place)
}

/// Takes the lock. It is the open file: the kernel releases it when the process ends.
fn lock(path: &Path) -> Result<File> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => return Ok(file),
        Err(TryLockError::WouldBlock) => eprintln!("waiting for the run that holds {}", path.display()),
        Err(TryLockError::Error(error)) => return Err(error).context("cannot lock the cache"),
    }
    file.lock().with_context(|| format!("cannot lock {}", path.display()))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use anyhow::bail;

    use super::*;

    fn root_with(variables: &[(&str, &str)]) -> Result<PathBuf> {
        let value =
            |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        root_from(value)
    }

    #[test]
    fn the_most_particular_variable_wins() {
        let all = [("TRACEC_CACHE", "/a"), ("XDG_CACHE_HOME", "/b"), ("HOME", "/c")];
        assert_eq!(root_with(&all).unwrap(), Path::new("/a"));
        assert_eq!(root_with(&all[1..]).unwrap(), Path::new("/b/tracec"));
        assert_eq!(root_with(&all[2..]).unwrap(), Path::new("/c/.cache/tracec"));
        assert!(root_with(&[]).is_err());
    }

    #[test]
    fn a_relative_xdg_path_is_ignored() {
        let variables = [("TRACEC_CACHE", ""), ("XDG_CACHE_HOME", "cache"), ("HOME", "/c")];
        assert_eq!(root_with(&variables).unwrap(), Path::new("/c/.cache/tracec"));
    }

    #[test]
    fn an_entry_is_filled_once() {
        let root = tempfile::tempdir().unwrap();
        let fill = |directory: &Path| Ok(fs::write(directory.join("file"), "text")?);
        let place = entry_in(root.path(), "key", fill).unwrap();
        assert_eq!(fs::read_to_string(place.join("file")).unwrap(), "text");
        let again = entry_in(root.path(), "key", |_| bail!("filled twice")).unwrap();
        assert_eq!(again, place);
    }

    #[test]
    fn a_failed_entry_is_absent_and_can_be_tried_again() {
        let root = tempfile::tempdir().unwrap();
        let fail = |directory: &Path| {
            fs::write(directory.join("log"), "why")?;
            bail!("no")
        };
        assert!(entry_in(root.path(), "key", fail).is_err());
        assert!(!root.path().join("key").exists());
        assert_eq!(fs::read_to_string(root.path().join("key.partial/log")).unwrap(), "why");
        let empty = |directory: &Path| {
            assert_eq!(fs::read_dir(directory)?.count(), 0);
            Ok(())
        };
        entry_in(root.path(), "key", empty).unwrap();
        assert!(!root.path().join("key.partial").exists());
    }

    #[test]
    fn two_runs_fill_it_once() {
        let root = tempfile::tempdir().unwrap();
        let (fills, start) = (AtomicUsize::new(0), Barrier::new(4));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    start.wait();
                    let fill = |_: &Path| {
                        fills.fetch_add(1, Ordering::Relaxed);
                        Ok(())
                    };
                    entry_in(root.path(), "key", fill).unwrap();
                });
            }
        });
        assert_eq!(fills.load(Ordering::Relaxed), 1);
    }
}
