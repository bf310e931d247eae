//! The walk through a directory tree, which reads every file in it.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use anyhow::{Context, Result, bail};
use rustix::fs::{AtFlags, CWD, Dir, Mode, OFlags};
use rustix::io::Errno;

use super::state::{Contents, Kind, State};
use super::volatile;

/// A length that no state file reaches; a file that does would never end.
const TOO_LONG: usize = 64 << 20;

/// Reads a tracefs, or its outer part: paths are relative to `root`, and volatile files are not read.
pub(super) fn tracefs(root: &Path, part: Part, entries: &mut BTreeMap<String, State>) -> Result<()> {
    let directory = rustix::fs::openat(CWD, root, DIRECTORY, Mode::empty())?;
    let wanted = |path: &str| volatile::find(path).is_none();
    let mut walk = Walk { part, ..Walk::new(&wanted, entries) };
    if let Contents::Refused(errno) = walk.directory(directory, "")? {
        return Err(Errno::from_raw_os_error(errno)).context("it cannot be listed");
    }
    Ok(())
}

/// Reads the file or directory `name` in `parent`, if both are there; the names of entries are absolute.
pub(super) fn named(parent: &Path, name: &CStr, entries: &mut BTreeMap<String, State>) -> Result<()> {
    let directory = match rustix::fs::openat(CWD, parent, DIRECTORY, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(()),
        directory => directory.with_context(|| parent.display().to_string())?,
    };
    let path = format!("{}/{}", parent.display(), name.to_bytes().escape_ascii());
    Walk::new(&|_| true, entries).entry(directory.as_fd(), name, path)
}

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The flags to open a file. One that could block must not, so that the walk always ends.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// What is read of a tracefs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Everything.
    All,
    /// All but what is below the directory of a system of events: thousands of files, which a machine without hardware
    /// virtualisation reads in seconds. `events/enable` says in one line what is enabled.
    Outer,
}

impl Part {
    /// Returns whether it has the entries below a directory.
    pub(super) fn has_below(self, directory: &str) -> bool {
        self == Part::All || !directory.rsplit_once('/').is_some_and(|(parent, _)| is_events(parent))
    }

    /// Returns whether it has an entry.
    pub(super) fn has(self, path: &str) -> bool {
        let mut above = path.match_indices('/').map(|(at, _)| &path[..at]);
        above.all(|directory| self.has_below(directory))
    }
}

/// Returns whether a path is the directory of all events, of the top level or of an instance.
fn is_events(path: &str) -> bool {
    path == "events" || (path.starts_with("instances/") && path.ends_with("/events"))
}

struct Walk<'a> {
    part: Part,
    /// Returns whether the file at a path is to be opened.
    wanted: &'a dyn Fn(&str) -> bool,
    entries: &'a mut BTreeMap<String, State>,
    buffer: Vec<u8>,
}

impl<'a> Walk<'a> {
    fn new(wanted: &'a dyn Fn(&str) -> bool, entries: &'a mut BTreeMap<String, State>) -> Self {
        Self { part: Part::All, wanted, entries, buffer: vec![0; 64 << 10] }
    }

    /// Returns the contents of the directory itself: a refusal where it cannot be listed to its end. The kernel refuses
    /// to list an instance that is being removed.
    fn directory(&mut self, directory: OwnedFd, prefix: &str) -> Result<Contents> {
        let refused = |error: Errno| Ok(Contents::Refused(error.raw_os_error()));
        let list = match Dir::read_from(&directory) {
            Ok(list) => list,
            Err(error) => return refused(error),
        };
        for entry in list {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return refused(error),
            };
            let name = entry.file_name();
            if name != c"." && name != c".." {
                let path = format!("{prefix}{}", name.to_bytes().escape_ascii());
                self.entry(directory.as_fd(), name, path)?;
            }
        }
        Ok(Contents::Unread)
    }

    fn entry(&mut self, parent: BorrowedFd<'_>, name: &CStr, path: String) -> Result<()> {
        let stat = match rustix::fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            // It was removed after the directory was listed, so it is not in the snapshot.
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error).context(path),
        };
        let mut state = State::of(&stat);
        match state.kind {
            Kind::Directory if self.part.has_below(&path) => {
                state.contents = match rustix::fs::openat(parent, name, DIRECTORY, Mode::empty()) {
                    Ok(directory) => self.directory(directory, &format!("{path}/"))?,
                    Err(error) => Contents::Refused(error.raw_os_error()),
                };
            }
            Kind::File if state.mode & 0o444 != 0 && (self.wanted)(&path) => {
                state.contents = self.read(parent, name).with_context(|| path.clone())?;
            }
            _ => {}
        }
        self.entries.insert(path, state);
        Ok(())
    }

    fn read(&mut self, parent: BorrowedFd<'_>, name: &CStr) -> Result<Contents> {
        let file = match rustix::fs::openat(parent, name, FILE, Mode::empty()) {
            Ok(file) => file,
            Err(error) => return Ok(Contents::Refused(error.raw_os_error())),
        };
        let mut bytes = Vec::new();
        loop {
            match rustix::io::read(&file, &mut self.buffer[..]) {
                Ok(0) => return Ok(Contents::Bytes(bytes)),
                Ok(length) => bytes.extend_from_slice(&self.buffer[..length]),
                Err(Errno::INTR) => {}
                Err(error) => return Ok(Contents::Refused(error.raw_os_error())),
            }
            if bytes.len() > TOO_LONG {
                bail!("the file does not end");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    fn picture(root: &Path) -> BTreeMap<String, State> {
        let mut entries = BTreeMap::new();
        let directory = rustix::fs::openat(CWD, root, DIRECTORY, Mode::empty()).unwrap();
        Walk::new(&|path| path != "no", &mut entries).directory(directory, "").unwrap();
        entries
    }

    fn contents(text: &str) -> Contents {
        Contents::Bytes(text.as_bytes().to_vec())
    }

    #[test]
    fn files_are_read_and_everything_is_listed() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("a/b")).unwrap();
        fs::write(root.path().join("a/b/c"), "text\n").unwrap();
        fs::write(root.path().join("no"), "unwanted").unwrap();
        fs::write(root.path().join("new\nline"), "").unwrap();
        symlink("a", root.path().join("link")).unwrap();
        let picture = picture(root.path());
        assert_eq!(picture.keys().collect::<Vec<_>>(), ["a", "a/b", "a/b/c", r"link", r"new\nline", "no"]);
        assert_eq!(picture["a/b/c"].contents, contents("text\n"));
        assert_eq!(picture["no"].contents, Contents::Unread);
        assert_eq!((picture["a"].kind, picture["link"].kind), (Kind::Directory, Kind::Other));
    }

    #[test]
    fn a_file_longer_than_the_buffer_is_whole() {
        let root = tempfile::tempdir().unwrap();
        let text = "0123456789".repeat(30_000);
        fs::write(root.path().join("long"), &text).unwrap();
        assert_eq!(picture(root.path())["long"].contents, contents(&text));
    }

    #[test]
    fn a_file_that_nobody_may_read_is_not_opened() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("trace_marker");
        fs::write(&path, "secret").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o220)).unwrap();
        let picture = picture(root.path());
        assert_eq!(picture["trace_marker"].contents, Contents::Unread);
        assert_eq!(picture["trace_marker"].mode, 0o220);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let root = tempfile::tempdir().unwrap();
        assert!(Command::new("mkfifo").arg(root.path().join("pipe")).status().unwrap().success());
        assert_eq!(picture(root.path())["pipe"].kind, Kind::Other);
    }

    #[test]
    fn one_name_brings_what_is_below_it() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("tracec")).unwrap();
        fs::write(root.path().join("tracec/journal"), "x").unwrap();
        fs::write(root.path().join("other"), "y").unwrap();
        let mut entries = BTreeMap::new();
        named(root.path(), c"tracec", &mut entries).unwrap();
        let path = root.path().join("tracec");
        let path = path.to_str().unwrap();
        assert_eq!(entries.keys().collect::<Vec<_>>(), [path, &format!("{path}/journal")]);
        named(root.path(), c"absent", &mut entries).unwrap();
        named(&root.path().join("absent"), c"absent", &mut entries).unwrap();
        assert_eq!(entries.len(), 2);
    }

    #[test]
    fn a_root_that_is_not_there_is_an_error() {
        let mut entries = BTreeMap::new();
        assert!(tracefs(Path::new("/no/such/directory"), Part::All, &mut entries).is_err());
        assert!(tracefs(Path::new("/dev/null"), Part::All, &mut entries).is_err());
    }
}
