//! The temporary directory in which a module is built, and what a killed tracec left of one.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tempfile::TempDir;

/// The beginning of the name; the id of the process follows, and a random end.
const PREFIX: &str = "tracec-module-";

/// The file that takes what the programs of kbuild write. It is locked while one of them has it open, or tracec.
const LOG: &str = "log";

/// The greatest length of the log that is read, in bytes.
const LOG_READ: u64 = 4 << 20;

/// The number of waits for programs that were killed, and still have to end. Each is twice as long as the one before,
/// which is about a second in total.
const WAITS: u32 = 9;

/// A directory for the sources of a module and all that kbuild makes of them. [`Workplace::remove`] removes it.
pub(super) struct Workplace {
    directory: TempDir,
    log: File,
}

impl Workplace {
    /// Creates a directory that nobody else can read or write.
    pub(super) fn create() -> io::Result<Workplace> {
        let prefix = format!("{PREFIX}{}-", std::process::id());
        let only_own = fs::Permissions::from_mode(0o700);
        let directory = tempfile::Builder::new().prefix(&prefix).permissions(only_own).tempdir()?;
        let log = File::options().append(true).create_new(true).open(directory.path().join(LOG))?;
        log.lock()?;
        Ok(Workplace { directory, log })
    }

    /// Returns its path.
    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Returns the file that takes what programs write, for those that run in the directory.
    pub(super) fn log(&self) -> io::Result<File> {
        self.log.try_clone()
    }

    /// Returns what the programs have written.
    pub(super) fn written(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        File::open(self.path().join(LOG))?.take(LOG_READ).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes the directory, once nothing runs in it any more.
    ///
    /// # Errors
    /// The directory, and why it is left.
    pub(super) fn remove(self) -> Result<(), (PathBuf, io::Error)> {
        let Workplace { directory, log } = self;
        let path = directory.keep();
        drop(log);
        for wait in 0..WAITS {
            match lock(&path) {
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(2 << wait)),
                Ok(_) | Err(TryLockError::Error(_)) => break,
            }
        }
        fs::remove_dir_all(&path).map_err(|error| (path, error))
    }
}

/// Locks the log of a directory; there is no lock while something runs there.
fn lock(directory: &Path) -> Result<File, TryLockError> {
    let log = File::open(directory.join(LOG)).map_err(TryLockError::Error)?;
    log.try_lock().map(|()| log)
}

/// What became of a directory that a killed tracec left.
pub(crate) enum Leftover {
    /// It was removed.
    Removed,
    /// Something runs in it: a tracec, or what kbuild has started for one that was killed.
    InUse,
    /// It could not be removed.
    Left(io::Error),
}

/// Removes the directories that killed ones left among the temporary files. Those of other users, and those in which
/// something runs, are not changed.
///
/// # Errors
/// The temporary files cannot be listed.
pub(crate) fn recover() -> io::Result<Vec<(PathBuf, Leftover)>> {
    recover_in(&std::env::temp_dir())
}

fn recover_in(temporary: &Path) -> io::Result<Vec<(PathBuf, Leftover)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(temporary)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(maker) = name.to_str().and_then(maker) else { continue };
        let path = entry.path();
        match fs::symlink_metadata(&path) {
            Ok(metadata) if is_own(&metadata) => found.extend(one(&path, maker).map(|became| (path, became))),
            _ => {}
        }
    }
    found.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(found)
}

/// Returns the process that made a directory of this name.
fn maker(name: &str) -> Option<u32> {
    name.strip_prefix(PREFIX)?.split_once('-')?.0.parse().ok()
}

/// Returns whether a directory is one that only this user can have made and filled.
fn is_own(metadata: &fs::Metadata) -> bool {
    let user = rustix::process::geteuid().as_raw();
    metadata.is_dir() && metadata.uid() == user && metadata.mode() & 0o077 == 0
}

/// Removes a directory if nothing runs in it; `None` if it is gone.
fn one(path: &Path, maker: u32) -> Option<Leftover> {
    let _lock = match lock(path) {
        Ok(lock) => Some(lock),
        Err(TryLockError::WouldBlock) => return Some(Leftover::InUse),
        // It has no log yet, and never will if its tracec was killed.
        Err(TryLockError::Error(error)) if error.kind() == ErrorKind::NotFound => {
            if Path::new("/proc").join(maker.to_string()).exists() {
                return path.exists().then_some(Leftover::InUse);
            }
            None
        }
        Err(TryLockError::Error(error)) => return Some(Leftover::Left(error)),
    };
    match fs::remove_dir_all(path) {
        Ok(()) => Some(Leftover::Removed),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => Some(Leftover::Left(error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An id that no process has: the greatest is 2^22 (include/linux/threads.h, `PID_MAX_LIMIT`).
    const NOBODY: u32 = 1 << 23;

    fn found(temporary: &Path) -> Vec<(String, &'static str)> {
        let word = |became| match became {
            Leftover::Removed => "removed",
            Leftover::InUse => "in use",
            Leftover::Left(_) => "left",
        };
        let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        recover_in(temporary).unwrap().into_iter().map(|(path, became)| (name(path), word(became))).collect()
    }

    fn make(temporary: &Path, name: &str, mode: u32) -> PathBuf {
        let path = temporary.join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("x.o"), "x").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn directory_of_a_killed_process_is_removed_and_no_other() {
        let temporary = tempfile::tempdir().unwrap();
        let [killed, early] = ["a", "b"].map(|end| format!("{PREFIX}{NOBODY}-{end}"));
        let locked = make(temporary.path(), &format!("{PREFIX}{NOBODY}-c"), 0o700);
        fs::write(make(temporary.path(), &killed, 0o700).join(LOG), "said").unwrap();
        make(temporary.path(), &early, 0o700);
        // These are not changed: a directory that others can read, one of another name, one whose process runs, a file, and
        // a link.
        make(temporary.path(), &format!("{PREFIX}{NOBODY}-d"), 0o755);
        make(temporary.path(), &format!("{PREFIX}x-e"), 0o700);
        let own = format!("{PREFIX}{}-f", std::process::id());
        make(temporary.path(), &own, 0o700);
        fs::write(temporary.path().join(format!("{PREFIX}{NOBODY}-g")), "").unwrap();
        let elsewhere = make(temporary.path(), "elsewhere", 0o700);
        std::os::unix::fs::symlink(elsewhere, temporary.path().join(format!("{PREFIX}{NOBODY}-h"))).unwrap();
        let lock = File::create(locked.join(LOG)).unwrap();
        lock.lock().unwrap();
        let in_use = format!("{PREFIX}{NOBODY}-c");
        let expected = [(killed, "removed"), (early, "removed"), (in_use.clone(), "in use"), (own, "in use")];
        let mut expected: Vec<_> = expected.into();
        expected.sort();
        assert_eq!(found(temporary.path()), expected);
        drop(lock);
        assert!(found(temporary.path()).contains(&(in_use, "removed")));
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 6);
    }

    #[test]
    fn directory_is_gone_when_what_runs_in_it_has_ended() {
        let workplace = Workplace::create().unwrap();
        let path = workplace.path().to_owned();
        assert!(is_own(&fs::symlink_metadata(&path).unwrap()), "others can read it");
        let mut writer = std::process::Command::new("/bin/sh");
        writer.args(["-c", "echo said >&2; sleep 0.1"]).stderr(workplace.log().unwrap());
        let mut child = writer.spawn().unwrap();
        drop(writer);
        workplace.remove().unwrap();
        assert!(child.try_wait().unwrap().is_some(), "it was removed while something ran in it");
        assert!(!path.exists());
    }
}
