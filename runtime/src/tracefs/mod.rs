//! tracefs, and the sysctls of tracing: found, entered, read and written. No other module opens a control file.

mod directory;
mod error;
mod mounts;

use std::path::{Path, PathBuf};

use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use tracec_kernel::plan::{InstanceName, Location};

pub use directory::Entry;
pub(crate) use directory::{Directory, WriteFailure};
pub use error::TracefsError;

/// `TRACEFS_MAGIC`, include/uapi/linux/magic.h.
const TRACEFS_MAGIC: i128 = 0x7472_6163;

/// Where the sysctls are.
const SYSCTLS: &str = "/proc/sys";

/// How a mount that no directory shows is called in messages.
const PRIVATE_MOUNT: &str = "tracefs (private mount)";

/// A tracefs, held by a descriptor of its root directory.
///
/// Paths given to its methods are relative to that root; those that would lead out of it are refused.
#[derive(Debug)]
pub struct Tracefs {
    root: Directory,
    /// `/proc/sys`, or in a test what stands for it.
    sysctls: PathBuf,
}

impl Tracefs {
    /// The tracefs that is mounted, as `/proc/self/mounts` tells: one of type tracefs, else debugfs's `tracing`.
    ///
    /// # Errors
    /// [`TracefsError::NotMounted`] if there is none; where there are some that cannot be entered, the error of the
    /// best one.
    pub fn find() -> Result<Self, TracefsError> {
        let table = Path::new("/proc/self/mounts");
        let mounts = std::fs::read(table).map_err(|error| io_error(table, &error))?;
        let mut refusal = TracefsError::NotMounted;
        for path in mounts::candidates(&mounts) {
            match Tracefs::open(&path) {
                Ok(tracefs) if tracefs.is_tracefs() => return Ok(tracefs),
                Ok(_) => {}
                Err(error) if refusal == TracefsError::NotMounted && !error.is_not_found() => refusal = error,
                Err(_) => {}
            }
        }
        Err(refusal)
    }

    /// The directory given: a tracefs, or, for reading only, a copy of one (see [`Tracefs::is_tracefs`]).
    ///
    /// # Errors
    /// If it is not a directory that can be entered.
    pub fn open(directory: &Path) -> Result<Self, TracefsError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(CWD, directory, flags, Mode::empty())
            .map_err(|errno| TracefsError::from_errno(directory, errno))?;
        Tracefs::of(Directory::new(fd, directory.to_owned())).unless_locked_down()
    }

    /// A mount of tracefs that no path leads to: no other process sees it, and it is gone with this value.
    /// Needs CAP_SYS_ADMIN.
    ///
    /// # Errors
    /// [`TracefsError::NoPermission`] or [`TracefsError::LockedDown`] without the right, [`TracefsError::Io`]
    /// with ENODEV if the kernel has no tracefs.
    pub fn mount_private() -> Result<Self, TracefsError> {
        let fd =
            mount_detached().map_err(|errno| TracefsError::from_errno(Path::new(PRIVATE_MOUNT), errno))?;
        Tracefs::of(Directory::new(fd, PathBuf::from(PRIVATE_MOUNT))).unless_locked_down()
    }

    fn of(root: Directory) -> Self {
        Tracefs { root, sysctls: PathBuf::from(SYSCTLS) }
    }

    /// Has the sysctls elsewhere.
    #[cfg(test)]
    pub(crate) fn with_sysctls(self, sysctls: PathBuf) -> Self {
        Tracefs { sysctls, ..self }
    }

    /// A kernel that is locked down at boot leaves its tracefs empty (kernel/trace/trace.c, `tracing_init_dentry`).
    fn unless_locked_down(self) -> Result<Self, TracefsError> {
        if self.is_tracefs() && !self.exists("events")? {
            return Err(TracefsError::LockedDown { path: self.path().to_owned() });
        }
        Ok(self)
    }

    /// Whether this is a tracefs, by the file system's own word (`statfs(2)`).
    pub fn is_tracefs(&self) -> bool {
        // A failure to ask is answered like a no: nothing is written to what is not known to be a tracefs.
        rustix::fs::fstatfs(self.root.fd()).is_ok_and(|stat| i128::from(stat.f_type) == TRACEFS_MAGIC)
    }

    /// Its root directory, whose files everybody on the machine shares.
    pub(crate) fn root(&self) -> &Directory {
        &self.root
    }

    /// Reads a file that everybody shares.
    pub(crate) fn read_shared(&self, file: &Location) -> Result<String, Errno> {
        match file {
            Location::Instance(_) => Err(Errno::XDEV),
            Location::Top(path) => self.root.read_text(path.as_str()),
            Location::Sysctl(sysctl) => self.open_sysctls()?.read_text(&sysctl.path()),
        }
    }

    /// Writes to a file that everybody shares.
    pub(crate) fn write_shared(&self, file: &Location, value: &str) -> Result<(), WriteFailure> {
        let value = value.as_bytes();
        match file {
            Location::Instance(_) => Err(WriteFailure::Open(Errno::XDEV)),
            Location::Top(path) => self.root.write(path.as_str(), value),
            Location::Sysctl(sysctl) => {
                self.open_sysctls().map_err(WriteFailure::Open)?.write(&sysctl.path(), value)
            }
        }
    }

    /// The path of a file for messages.
    pub(crate) fn path_of(&self, file: &Location) -> PathBuf {
        match file {
            Location::Instance(path) | Location::Top(path) => self.path().join(path.as_str()),
            Location::Sysctl(sysctl) => self.sysctls.join(sysctl.path()),
        }
    }

    fn open_sysctls(&self) -> Result<Directory, Errno> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let fd = rustix::fs::openat(CWD, &self.sysctls, flags, Mode::empty())?;
        Ok(Directory::new(fd, self.sysctls.clone()))
    }

    /// What messages call it: the mount point, or a description of a private mount.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// If it is not there ([`TracefsError::is_not_found`]) or cannot be read.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, TracefsError> {
        self.root.read(path)
    }

    /// The text of a file.
    ///
    /// # Errors
    /// As [`Tracefs::read`], and [`TracefsError::NotText`].
    pub fn read_to_string(&self, path: &str) -> Result<String, TracefsError> {
        self.root.read_to_string(path)
    }

    /// The entries of a directory in the order of their names; `""` is the root.
    ///
    /// # Errors
    /// If it is not there, is no directory, or cannot be read.
    pub fn list(&self, path: &str) -> Result<Vec<Entry>, TracefsError> {
        self.root.list(path)
    }

    /// Whether there is such a file or directory.
    ///
    /// # Errors
    /// If that cannot be found out.
    pub fn exists(&self, path: &str) -> Result<bool, TracefsError> {
        self.root.exists(path)
    }

    /// `mkdir instances/NAME`: EEXIST means that it is someone else's.
    pub(crate) fn make_instance(&self, name: &InstanceName) -> Result<(), Errno> {
        rustix::fs::mkdirat(self.root.fd(), below_instances(name), Mode::from_raw_mode(0o750))
    }

    /// `rmdir instances/NAME`, which takes its events, filters, triggers and buffers along.
    pub(crate) fn remove_instance(&self, name: &InstanceName) -> Result<(), Errno> {
        rustix::fs::unlinkat(self.root.fd(), below_instances(name), AtFlags::REMOVEDIR)
    }

    /// The inode number of an instance's directory, by which it is told from a later one of the same name; `None`
    /// if there is none.
    pub(crate) fn instance_inode(&self, name: &InstanceName) -> Result<Option<u64>, Errno> {
        match rustix::fs::statat(self.root.fd(), below_instances(name), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat.st_ino)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) fn open_instance(&self, name: &InstanceName) -> Result<Directory, TracefsError> {
        let path = below_instances(name);
        let fd = self.root.open(&path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Directory::new(fd, self.root.path().join(path)))
    }

    /// The path of an instance for messages.
    pub(crate) fn instance_path(&self, name: &InstanceName) -> PathBuf {
        self.root.path().join(below_instances(name))
    }
}

/// An [`InstanceName`] has neither `/` nor `..`: the path stays below the root.
fn below_instances(name: &InstanceName) -> String {
    format!("instances/{name}")
}

fn mount_detached() -> Result<OwnedFd, Errno> {
    let context = rustix::mount::fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    rustix::mount::fsconfig_create(context.as_fd())?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC;
    rustix::mount::fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)
}

fn io_error(path: &Path, error: &std::io::Error) -> TracefsError {
    let errno = error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error);
    TracefsError::from_errno(path, errno)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_directory_is_no_tracefs() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!Tracefs::open(dir.path()).unwrap().is_tracefs());
    }

    #[test]
    fn what_is_no_directory_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(Tracefs::open(&file), Err(TracefsError::Io { errno: Errno::NOTDIR, .. })));
        assert!(Tracefs::open(&dir.path().join("none")).unwrap_err().is_not_found());
    }
}
