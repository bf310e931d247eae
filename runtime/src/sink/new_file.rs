//! A file of the user that gets its name once it is complete.

use std::ffi::OsString;
use std::fs::{File, Metadata, symlink_metadata};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, Uid};
use rustix::io::Errno;

/// The number of names that are tried for the moment between two names.
const ATTEMPTS: u32 = 100;

/// The bits that the umask of the process is taken from, as with open(2) of any program.
const MODE: u32 = 0o666;

/// A file that is being written. One that is dropped before it is complete leaves nothing, and whatever has its name stays
/// as it is; if the process is killed, nothing is left either, on file systems that have files without a name (`O_TMPFILE`).
#[derive(Debug)]
pub struct NewFile {
    directory: OwnedFd,
    name: OsString,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// A file without a name.
    Unnamed(File),
    /// A file under another name, where there are none without.
    Named(Named),
}

/// A file under another name, which is removed unless it is renamed.
#[derive(Debug)]
struct Named {
    file: File,
    directory: OwnedFd,
    /// `None` once it was renamed.
    name: Option<String>,
}

impl Drop for Named {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // The first error is returned; an error of the removal would hide it.
            let _ = rustix::fs::unlinkat(&self.directory, name.as_str(), AtFlags::empty());
        }
    }
}

impl NewFile {
    /// Begins a file. What stands at the path has to be a regular file, a symbolic link, which is replaced and not
    /// followed, or nothing. The mode of a file stays.
    ///
    /// # Errors
    /// Something else stands there, or no file can be created.
    pub fn create(path: &Path) -> Result<Self> {
        let mut old = None;
        match symlink_metadata(path) {
            Ok(found) if found.is_file() => old = Some(found),
            Ok(found) if found.is_symlink() => {}
            Ok(found) if found.is_dir() => {
                return Err(Error::new(ErrorKind::IsADirectory, "it is a directory"));
            }
            Ok(_) => return Err(Error::other("it is not a regular file")),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let name =
            path.file_name().ok_or_else(|| Error::other("it does not end in the name of a file"))?.to_owned();
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(CWD, parent, flags, Mode::empty())?;
        let flags = OFlags::RDWR | OFlags::TMPFILE | OFlags::CLOEXEC;
        let content = match rustix::fs::openat(&directory, ".", flags, Mode::from_raw_mode(MODE)) {
            Ok(file) => Content::Unnamed(file.into()),
            // The errors of file systems and kernels without such files (open(2)).
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => Content::Named(named(&directory)?),
            Err(error) => return Err(error.into()),
        };
        let new = NewFile { directory, name, content };
        if let Some(old) = old {
            new.resemble(&old)?;
        }
        Ok(new)
    }

    /// Gives the file the mode of the one that it replaces, and its owner if that is possible.
    fn resemble(&self, old: &Metadata) -> Result<()> {
        let (owner, group) = (Uid::from_raw(old.uid()), Gid::from_raw(old.gid()));
        // A user who may replace the file of another one need not be able to give it away.
        let is_given = rustix::fs::fchown(self.file(), Some(owner), Some(group)).is_ok();
        // What the group may do is not meant for another one.
        let bits = if is_given { 0o777 } else { 0o707 };
        Ok(rustix::fs::fchmod(self.file(), Mode::from_raw_mode(old.mode() & bits))?)
    }

    /// Returns the file for writing.
    pub fn file(&self) -> &File {
        match &self.content {
            Content::Unnamed(file) => file,
            Content::Named(named) => &named.file,
        }
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// The file cannot be renamed. It is left without a name then, and is gone.
    pub fn complete(self) -> Result<()> {
        match self.content {
            Content::Named(mut named) => {
                let Some(other) = &named.name else { return Ok(()) };
                rustix::fs::renameat(&self.directory, other.as_str(), &self.directory, &self.name)?;
                named.name = None;
                Ok(())
            }
            Content::Unnamed(file) => {
                let own = format!("/proc/self/fd/{}", file.as_raw_fd());
                let process = std::process::id();
                for attempt in 0..ATTEMPTS {
                    // linkat(2) replaces no file.
                    let other = format!(".tracec-{process}-{attempt}");
                    match rustix::fs::linkat(
                        CWD,
                        own.as_str(),
                        &self.directory,
                        other.as_str(),
                        AtFlags::SYMLINK_FOLLOW,
                    ) {
                        Ok(()) => {}
                        Err(Errno::EXIST) => continue,
                        Err(error) => return Err(error.into()),
                    }
                    let renamed =
                        rustix::fs::renameat(&self.directory, other.as_str(), &self.directory, &self.name);
                    return renamed.map_err(|error| {
                        // The first error is returned; an error of the removal would hide it.
                        let _ = rustix::fs::unlinkat(&self.directory, other.as_str(), AtFlags::empty());
                        error.into()
                    });
                }
                Err(no_name())
            }
        }
    }
}

/// Creates a file under a name that nothing has.
fn named(directory: &OwnedFd) -> Result<Named> {
    let process = std::process::id();
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    for attempt in 0..ATTEMPTS {
        let name = format!(".tracec-{process}-{attempt}");
        match rustix::fs::openat(directory, name.as_str(), flags, Mode::from_raw_mode(MODE)) {
            Ok(file) => {
                let directory = directory.try_clone()?;
                return Ok(Named { file: file.into(), directory, name: Some(name) });
            }
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(no_name())
}

fn no_name() -> Error {
    Error::new(ErrorKind::AlreadyExists, "no name is free for the new file")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).expect("readable");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn file_has_its_name_once_it_is_complete() {
        let directory = tempfile::tempdir().expect("writable");
        let path = directory.path().join("a");
        for old in [None, Some("old"), Some("older")] {
            if let Some(old) = old {
                std::fs::write(&path, old).expect("writable");
            }
            let new = NewFile::create(&path).expect("created");
            new.file().write_all(b"new").expect("written");
            assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), old);
            new.complete().expect("replaced");
            assert_eq!(std::fs::read(&path).expect("readable"), b"new");
            assert_eq!(names(directory.path()), ["a"]);
        }
        drop(NewFile::create(&path).expect("created"));
        assert_eq!(names(directory.path()), ["a"]);
    }

    #[test]
    fn file_that_replaces_another_has_its_mode() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().expect("writable");
        let path = directory.path().join("a");
        for mode in [0o600, 0o444, 0o664] {
            std::fs::write(&path, "old").expect("writable");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("own file");
            NewFile::create(&path).expect("created").complete().expect("replaced");
            assert_eq!(std::fs::metadata(&path).expect("there").mode() & 0o777, mode);
            std::fs::remove_file(&path).expect("removed");
        }
    }

    #[test]
    fn directory_and_device_are_refused() {
        let directory = tempfile::tempdir().expect("writable");
        for path in [directory.path(), Path::new("/dev/null"), Path::new("/"), &directory.path().join("b/c")]
        {
            assert!(NewFile::create(path).is_err(), "{path:?}");
        }
        // A directory that comes meanwhile stays.
        let path = directory.path().join("a");
        let new = NewFile::create(&path).expect("created");
        std::fs::create_dir(&path).expect("created");
        assert!(new.complete().is_err());
        assert_eq!(names(directory.path()), ["a"]);
    }
}
