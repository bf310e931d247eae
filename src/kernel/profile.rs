//! A kernel that was saved: a profile in a file, or one that is shipped with tracec.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::profile::{Block, Bytes, Kept, Profile, ProfileError, ReadFailed};
use tracec_kernel::tables::features::Support;

/// A profile as a kernel to ask.
pub struct ProfileKernel {
    profile: Profile<Box<dyn Bytes>>,
    /// The block that was read last: events that stand together are mostly asked for together.
    kept: RefCell<Option<Block>>,
    /// It is shipped with tracec. The machine that saved it is nobody's, and how many CPUs that had tells nothing.
    is_shipped: bool,
}

impl ProfileKernel {
    /// Opens a file. Only what is needed is read of it.
    ///
    /// # Errors
    /// [`ProfileError`]; [`ProfileError::Read`] if it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ProfileError> {
        let file = FileBytes::open(path);
        ProfileKernel::new(Box::new(file.map_err(|error| ProfileError::Read(error.to_string()))?), false)
    }

    /// Opens a profile that is shipped. It has no CPUs to tell of.
    ///
    /// # Errors
    /// [`ProfileError`]
    pub fn of_shipped(bytes: &'static [u8]) -> Result<Self, ProfileError> {
        ProfileKernel::new(Box::new(bytes), true)
    }

    /// The layouts are checked at once: damage is then told as what it is, and not at the event that it hits.
    fn new(bytes: Box<dyn Bytes>, is_shipped: bool) -> Result<Self, ProfileError> {
        let profile = Profile::open(bytes)?;
        profile.verify()?;
        Ok(ProfileKernel { profile, kept: RefCell::new(None), is_shipped })
    }

    /// What it holds.
    pub fn profile(&self) -> &Profile<Box<dyn Bytes>> {
        &self.profile
    }
}

impl fmt::Debug for ProfileKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProfileKernel").field("facts", self.profile.facts()).finish_non_exhaustive()
    }
}

impl KernelSource for ProfileKernel {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        let error = |reason: String| KernelError { path: path.to_owned(), reason };
        match self.profile.file(path, &mut self.kept.borrow_mut()) {
            Ok(Kept::Text(text)) => Ok(Some(text)),
            Ok(Kept::Absent) => Ok(None),
            Ok(Kept::Unknown) => Err(error("the profile of the kernel does not hold it".to_owned())),
            Err(failed) => Err(error(format!("the profile: {failed}"))),
        }
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        match path {
            "per_cpu" if self.is_shipped => Ok(Vec::new()),
            path => Ok(self.profile.directories(path)),
        }
    }

    fn feature(&self, name: &str) -> Support {
        self.profile.facts().feature(name)
    }

    fn describe(&self) -> String {
        format!("kernel {}", self.profile.facts().release)
    }

    fn arch(&self) -> String {
        self.profile.facts().arch.clone()
    }

    fn release(&self) -> String {
        self.profile.facts().release.clone()
    }
}

/// A file that is read in parts.
struct FileBytes {
    file: File,
    length: u64,
}

impl FileBytes {
    fn open(path: &Path) -> io::Result<Self> {
        // Before it is opened: a pipe would wait for somebody to write.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is no regular file"));
        }
        let file = File::open(path)?;
        Ok(FileBytes { length: file.metadata()?.len(), file })
    }
}

impl Bytes for FileBytes {
    fn len(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        self.file.read_exact_at(buffer, offset).map_err(|error| ReadFailed(error.to_string()))
    }
}
