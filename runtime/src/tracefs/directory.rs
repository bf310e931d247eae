//! A directory of tracefs as a descriptor. Every control file is opened relative to one.

use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Dir, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use tracec_kernel::plan::FilePath;

use super::TracefsError;

/// The size of the first read. Most control files are smaller than a page (kernel/trace/trace.c formats them into one).
const FIRST_READ: usize = 4096;

/// A name in a directory of tracefs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name. Names that are not UTF-8 are skipped: no event, system or session has one.
    pub name: String,
    /// Whether it is a directory.
    pub is_directory: bool,
}

/// A failed write to a control file, by the call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteFailure {
    Open(Errno),
    Write(Errno),
    Short(usize),
}

impl WriteFailure {
    /// Returns the error number; EIO for a short write.
    pub(crate) fn errno(self) -> Errno {
        match self {
            WriteFailure::Open(errno) | WriteFailure::Write(errno) => errno,
            WriteFailure::Short(_) => Errno::IO,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Directory {
    fd: OwnedFd,
    path: PathBuf,
}

impl Directory {
    pub(crate) fn new(fd: OwnedFd, path: PathBuf) -> Self {
        Directory { fd, path }
    }

    /// Returns the same directory with a descriptor of its own.
    pub(crate) fn try_clone(&self) -> Result<Self, Errno> {
        Ok(Directory::new(rustix::io::fcntl_dupfd_cloexec(&self.fd, 3)?, self.path.clone()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    pub(crate) fn read(&self, path: &str) -> Result<Vec<u8>, TracefsError> {
        self.read_errno(path).map_err(|errno| self.error(path, errno))
    }

    /// Returns the text of a file; EILSEQ if it is not UTF-8.
    pub(crate) fn read_text(&self, path: &str) -> Result<String, Errno> {
        String::from_utf8(self.read_errno(path)?).map_err(|_| Errno::ILSEQ)
    }

    fn read_errno(&self, path: &str) -> Result<Vec<u8>, Errno> {
        let fd = self.open_errno(path, OFlags::RDONLY)?;
        let mut bytes = Vec::with_capacity(FIRST_READ);
        loop {
            if bytes.len() == bytes.capacity() {
                bytes.reserve(bytes.len().max(FIRST_READ));
            }
            match rustix::io::read(&fd, spare_capacity(&mut bytes)) {
                Ok(0) => return Ok(bytes),
                Ok(_) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    pub(crate) fn read_to_string(&self, path: &str) -> Result<String, TracefsError> {
        String::from_utf8(self.read(path)?).map_err(|_| TracefsError::NotText { path: self.path.join(path) })
    }

    /// Returns the entries, sorted by name.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<DirectoryEntry>, TracefsError> {
        let path = if path.is_empty() { "." } else { path };
        let failed = |errno| self.error(path, errno);
        let fd = self.open(path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        let mut entries = Vec::new();
        for entry in Dir::new(fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name != "." && name != ".." {
                entries.push(DirectoryEntry {
                    name: name.to_owned(),
                    is_directory: entry.file_type() == FileType::Directory,
                });
            }
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    pub(crate) fn exists(&self, path: &str) -> Result<bool, TracefsError> {
        match self.open(path, OFlags::PATH) {
            Ok(_) => Ok(true),
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Writes a value in exactly one `write(2)`: the kernel takes each call as one command. The file is not truncated,
    /// because truncating is a command of its own (it empties `trace` and removes `hist` triggers).
    pub(crate) fn write(&self, path: &str, value: &[u8]) -> Result<(), WriteFailure> {
        let fd = self.open_errno(path, OFlags::WRONLY).map_err(WriteFailure::Open)?;
        match rustix::io::write(&fd, value) {
            Ok(written) if written == value.len() => Ok(()),
            Ok(written) => Err(WriteFailure::Short(written)),
            Err(errno) => Err(WriteFailure::Write(errno)),
        }
    }

    pub(crate) fn open(&self, path: &str, flags: OFlags) -> Result<OwnedFd, TracefsError> {
        self.open_errno(path, flags).map_err(|errno| self.error(path, errno))
    }

    fn error(&self, path: &str, errno: Errno) -> TracefsError {
        match is_below(path) {
            true => TracefsError::from_errno(&self.path.join(path), errno),
            false => TracefsError::OutsideTracefs { path: path.to_owned() },
        }
    }

    pub(crate) fn open_errno(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        if !is_below(path) {
            return Err(Errno::XDEV);
        }
        // The kernel checks again, including symbolic links in a directory that the user named.
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        rustix::io::retry_on_intr(|| {
            rustix::fs::openat2(&self.fd, path, flags | OFlags::CLOEXEC, Mode::empty(), resolve)
        })
    }
}

/// Returns whether a path names the directory itself or something below it.
fn is_below(path: &str) -> bool {
    path == "." || FilePath::stays_below(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directory() -> (tempfile::TempDir, Directory) {
        let dir = tempfile::tempdir().unwrap();
        let fd = rustix::fs::open(dir.path(), OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let directory = Directory::new(fd, dir.path().to_owned());
        (dir, directory)
    }

    #[test]
    fn path_that_leaves_the_directory_is_refused() {
        let (_dir, directory) = directory();
        for path in ["..", "a/../b", "/etc/passwd", "a\0b", "", "a//b", "./a"] {
            let refused = TracefsError::OutsideTracefs { path: path.to_owned() };
            assert_eq!(directory.read(path), Err(refused), "{path:?}");
            assert_eq!(directory.write(path, b"1"), Err(WriteFailure::Open(Errno::XDEV)), "{path:?}");
        }
    }

    #[test]
    fn symbolic_link_out_of_the_directory_is_refused() {
        let (dir, directory) = directory();
        std::os::unix::fs::symlink("/etc", dir.path().join("out")).unwrap();
        assert!(matches!(directory.read("out/passwd"), Err(TracefsError::Io { errno: Errno::XDEV, .. })));
    }

    #[test]
    fn files_are_read_and_listed_and_missing_ones_are_reported() {
        let (dir, directory) = directory();
        let long = "x".repeat(3 * FIRST_READ + 1);
        std::fs::write(dir.path().join("long"), &long).unwrap();
        std::fs::write(dir.path().join("bad"), b"\xff").unwrap();
        std::fs::create_dir(dir.path().join("events")).unwrap();
        assert_eq!(directory.read_to_string("long").unwrap(), long);
        assert!(matches!(directory.read_to_string("bad"), Err(TracefsError::NotText { .. })));
        assert!(directory.read("none").unwrap_err().is_not_found());
        assert!(directory.exists("events").unwrap() && !directory.exists("events/none").unwrap());
        let names: Vec<_> =
            directory.list("").unwrap().into_iter().map(|e| (e.name, e.is_directory)).collect();
        assert_eq!(names, [("bad".into(), false), ("events".into(), true), ("long".into(), false)]);
    }

    #[test]
    fn write_overwrites_without_truncating() {
        let (dir, directory) = directory();
        std::fs::write(dir.path().join("f"), "12345").unwrap();
        directory.write("f", b"ab").unwrap();
        assert_eq!(std::fs::read(dir.path().join("f")).unwrap(), b"ab345");
        assert_eq!(directory.write("g", b"ab"), Err(WriteFailure::Open(Errno::NOENT)));
    }
}
