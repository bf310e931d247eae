//! The files of an output that is rotated: one that has its size is closed, and the next one begun.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, StatxFlags, statx};
use rustix::io::Errno;
use tracec_kernel::plan::{DUMP_NUMBER, Rotation};

use super::open_file::open_file;
use super::outlet::Outlet;
use super::progress::Progress;
use super::{Form, Sink, SinkError, Timestamps};

/// How many files there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileCounts {
    /// Those that were begun.
    pub begun: u64,
    /// Those of them that were removed, the oldest ones.
    pub removed: u64,
}

/// What begins one file after the other.
#[derive(Debug)]
pub(crate) struct Files {
    path: PathBuf,
    form: &'static Form,
    timestamps: Timestamps,
    progress: Arc<Progress>,
    rotation: Rotation,
    counts: FileCounts,
    /// The file that is being written.
    current: Option<OwnedFd>,
    /// The files that are there, the oldest first, if they are removed some time.
    kept: VecDeque<Kept>,
}

/// A file that was begun.
#[derive(Debug)]
struct Kept {
    path: PathBuf,
    identity: Identity,
}

/// What a file is known by: the number of a file that was removed can be that of a new one, which was made later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: (u32, u32),
    inode: u64,
    /// When it was made, seconds and nanoseconds; 0 where the file system does not say.
    made: (i64, u32),
}

impl Identity {
    /// Returns that of an open file, or of what a path leads to.
    fn of(file: BorrowedFd<'_>, path: &Path, flags: AtFlags) -> Result<Self, Errno> {
        let found = statx(file, path, flags, StatxFlags::BASIC_STATS | StatxFlags::BTIME)?;
        Ok(Identity {
            device: (found.stx_dev_major, found.stx_dev_minor),
            inode: found.stx_ino,
            made: (found.stx_btime.tv_sec, found.stx_btime.tv_nsec),
        })
    }
}

/// Returns the path of the file of a number, the first one of which is 1: the number stands for each `{n}` in the name of the
/// file, and before its ending if it has none.
pub fn numbered(path: &Path, number: u64) -> PathBuf {
    let Some(name) = path.file_name() else { return path.to_owned() };
    let (mut own, mut rest) = (Vec::new(), name.as_bytes());
    let mut has_place = false;
    while let Some((first, behind)) = rest.split_first() {
        match rest.strip_prefix(DUMP_NUMBER.as_bytes()) {
            Some(behind) => {
                own.extend_from_slice(number.to_string().as_bytes());
                (rest, has_place) = (behind, true);
            }
            None => {
                own.push(*first);
                rest = behind;
            }
        }
    }
    if has_place {
        return path.with_file_name(OsString::from_vec(own));
    }
    let mut name = path.file_stem().unwrap_or(name).to_owned();
    name.push(format!("-{number}"));
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

impl Files {
    pub(crate) fn new(
        path: PathBuf,
        (form, timestamps): (&'static Form, Timestamps),
        progress: Arc<Progress>,
        rotation: Rotation,
    ) -> Files {
        let counts = FileCounts { begun: 1, removed: 0 };
        let kept = VecDeque::new();
        Files { path, form, timestamps, progress, rotation, counts, current: None, kept }
    }

    /// Returns the path of the file that was begun last.
    pub(crate) fn path(&self) -> PathBuf {
        numbered(&self.path, self.counts.begun)
    }

    pub(crate) fn counts(&self) -> FileCounts {
        self.counts
    }

    /// Takes the file that was begun last.
    ///
    /// # Errors
    /// It is not a regular file.
    pub(crate) fn begin(&mut self, file: BorrowedFd<'_>) -> io::Result<()> {
        let found = rustix::fs::fstat(file)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("a file that is rotated has to be a regular file"));
        }
        self.current = Some(rustix::io::fcntl_dupfd_cloexec(file, 3)?);
        if self.rotation.max.is_some() {
            let identity = Identity::of(file, Path::new(""), AtFlags::EMPTY_PATH)?;
            self.kept.push_back(Kept { path: self.path(), identity });
        }
        Ok(())
    }

    /// Returns the size of the file that is being written, bytes.
    pub(crate) fn size(&self) -> io::Result<u64> {
        let Some(current) = &self.current else { return Ok(0) };
        Ok(u64::try_from(rustix::fs::fstat(current)?.st_size).unwrap_or(0))
    }

    /// Returns whether a file of a size is closed.
    pub(crate) fn is_full(&self, size: u64) -> bool {
        size >= self.rotation.bytes
    }

    /// Begins the next file, which is empty, and removes the oldest if there are too many.
    pub(crate) fn next(&mut self) -> io::Result<OwnedFd> {
        let path = numbered(&self.path, self.counts.begun + 1);
        let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let (file, _) = open_file(&path, self.form.access()).map_err(|errno| named(errno.into()))?;
        self.counts.begun += 1;
        self.begin(file.as_fd()).map_err(named)?;
        rustix::fs::ftruncate(&file, 0)?;
        while self.rotation.max.is_some_and(|max| self.kept.len() as u64 > max) {
            let Some(oldest) = self.kept.pop_front() else { break };
            oldest.remove()?;
            self.counts.removed += 1;
        }
        Ok(file)
    }

    /// Begins the next file, and returns what writes records to it.
    pub(crate) fn next_sink(&mut self) -> Result<Box<dyn Sink>, SinkError> {
        let file = self.next()?;
        let outlet = Outlet::new(file, Arc::clone(&self.progress)).map_err(io::Error::from)?;
        Ok(self.form.sink(Box::new(outlet), self.timestamps))
    }
}

impl Kept {
    /// Removes the file, unless its name belongs to another one now.
    fn remove(&self) -> io::Result<()> {
        let failed = |errno: Errno| {
            let error = io::Error::from(errno);
            io::Error::new(error.kind(), format!("{} is not removed: {error}", self.path.display()))
        };
        match Identity::of(CWD, &self.path, AtFlags::empty()) {
            Ok(found) if found == self.identity => {}
            Ok(_) | Err(Errno::NOENT) => return Ok(()),
            Err(errno) => return Err(failed(errno)),
        }
        match rustix::fs::unlink(&self.path) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(failed(errno)),
        }
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::plan::Span;

    use super::*;
    use crate::sink::TEXT;

    #[test]
    fn number_is_at_its_place_or_before_the_ending() {
        let named = |path: &str| numbered(Path::new(path), 12).display().to_string();
        assert_eq!(named("a/{n}/x-{n}.{n}.dat"), "a/{n}/x-12.12.dat");
        assert_eq!(named("x.dat"), "x-12.dat");
        assert_eq!(named("/a.b/x.y.dat"), "/a.b/x.y-12.dat");
        assert_eq!(named("x{n.dat"), "x{n-12.dat");
    }

    fn files(path: PathBuf, max: Option<u64>) -> Files {
        let rotation = Rotation { bytes: 4096, max, origin: Span::default() };
        let mut files = Files::new(path, (&TEXT, Timestamps::Raw), Arc::default(), rotation);
        let (first, _) = open_file(&files.path(), TEXT.access()).unwrap();
        files.begin(first.as_fd()).unwrap();
        files
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn oldest_file_is_removed_unless_its_name_belongs_to_another() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("x-2.txt"), "old").unwrap();
        let mut files = files(directory.path().join("x.txt"), Some(2));
        files.next().unwrap();
        assert_eq!((names(directory.path()).len(), files.size().unwrap()), (2, 0));
        std::fs::remove_file(directory.path().join("x-1.txt")).unwrap();
        std::fs::write(directory.path().join("x-1.txt"), "another").unwrap();
        files.next().unwrap();
        assert_eq!(names(directory.path()), ["x-1.txt", "x-2.txt", "x-3.txt"]);
        files.next().unwrap();
        assert_eq!(names(directory.path()), ["x-1.txt", "x-3.txt", "x-4.txt"]);
        assert_eq!(files.counts(), FileCounts { begun: 4, removed: 2 });
    }

    #[test]
    fn what_has_the_next_name_and_is_not_a_file_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let mut files = files(directory.path().join("x.txt"), None);
        std::fs::create_dir(directory.path().join("x-2.txt")).unwrap();
        let error = files.next().unwrap_err().to_string();
        assert!(error.contains("x-2.txt: Is a directory"), "{error}");
        assert_eq!(files.counts().begun, 1);
    }
}
