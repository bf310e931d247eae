//! A file of the user that gets its name once it is complete.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, symlink_metadata};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use tempfile::NamedTempFile;

/// The number of names that are tried for the moment between two names.
const ATTEMPTS: u32 = 100;

/// The bits that the umask of the process is taken from, as with open(2) of any program.
const MODE: u32 = 0o666;

/// A file that is being written. One that is dropped before it is complete leaves nothing, and whatever has its name stays
/// as it is; if the process is killed, nothing is left either, on file systems that have files without a name (`O_TMPFILE`).
pub(crate) struct NewFile {
    directory: OwnedFd,
    name: OsString,
    path: PathBuf,
    content: Content,
}

enum Content {
    /// A file without a name.
    Unnamed(File),
    /// A file under another name, where there are none without.
    Named(NamedTempFile<File>),
}

impl NewFile {
    /// Begins a file. What stands at the path has to be a regular file, a symbolic link, which is replaced and not
    /// followed, or nothing.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        match symlink_metadata(path) {
            Ok(found) if found.is_file() || found.is_symlink() => {}
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
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::NOENT) => {
                let create = |path: &Path| {
                    OpenOptions::new().read(true).write(true).create_new(true).mode(MODE).open(path)
                };
                Content::Named(tempfile::Builder::new().prefix(".tracec").make_in(parent, create)?)
            }
            Err(error) => return Err(error.into()),
        };
        Ok(NewFile { directory, name, path: path.to_owned(), content })
    }

    /// Returns the file for writing.
    pub(crate) fn file(&self) -> &File {
        match &self.content {
            Content::Unnamed(file) => file,
            Content::Named(file) => file.as_file(),
        }
    }

    /// Gives the file its name.
    pub(crate) fn complete(self) -> Result<()> {
        match self.content {
            Content::Named(file) => file.persist(&self.path).map(|_| ()).map_err(|error| error.error),
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
                Err(Error::new(ErrorKind::AlreadyExists, "no name is free for the new file"))
            }
        }
    }
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
