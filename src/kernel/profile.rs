//! A saved kernel: a profile in a file, or one that is shipped with tracec.

use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::profile::{Block, Bytes, Kept, Profile, ProfileError, ReadFailed};
use tracec_kernel::tables::features::Support;

/// A profile as the source of a kernel.
pub struct ProfileKernel {
    profile: Profile<Box<dyn Bytes>>,
    /// The block that was read last: events of the same block are usually asked for together.
    kept: RefCell<Option<Block>>,
    /// Whether it is shipped with tracec. The machine that saved it is not the user's, so the number of its CPUs is
    /// ignored.
    is_shipped: bool,
}

impl ProfileKernel {
    /// Opens a file. Only the parts that are needed are read.
    ///
    /// # Errors
    /// [`ProfileError`]; [`ProfileError::Read`] if it cannot be opened.
    pub fn open(path: &Path) -> Result<Self, ProfileError> {
        let file = FileBytes::open(path);
        ProfileKernel::new(Box::new(file.map_err(|error| ProfileError::Read(error.to_string()))?), false)
    }

    /// Opens a shipped profile. It has no CPUs.
    ///
    /// # Errors
    /// [`ProfileError`]
    pub fn of_shipped(bytes: &'static [u8]) -> Result<Self, ProfileError> {
        ProfileKernel::new(Box::new(bytes), true)
    }

    /// Checks the layouts at once, so that damage is reported as such, and not at the event that it affects.
    fn new(bytes: Box<dyn Bytes>, is_shipped: bool) -> Result<Self, ProfileError> {
        let profile = Profile::open(bytes)?;
        profile.verify()?;
        Ok(ProfileKernel { profile, kept: RefCell::new(None), is_shipped })
    }

    /// Returns the profile.
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
            Ok(Kept::Unknown) => Err(error("the profile of the kernel does not contain it".to_owned())),
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

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        match self.profile.btf() {
            Ok(bytes) => Ok(Some(bytes)),
            Err(ProfileError::Without(_)) => Ok(None),
            Err(error) => {
                Err(KernelError { path: "BTF".to_owned(), reason: format!("the profile: {error}") })
            }
        }
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
        // The check comes before the file is opened: opening a pipe would wait for a writer.
        if !std::fs::metadata(path)?.is_file() {
            return Err(io::Error::other("it is not a regular file"));
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
