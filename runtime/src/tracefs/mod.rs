//! tracefs, and the sysctls of tracing. No other module opens a control file.

mod directory;
mod error;
mod mounts;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags};
use tracec_kernel::plan::{InstanceName, Location};

pub use directory::DirectoryEntry;
pub(crate) use directory::{Directory, WriteFailure};
pub use error::TracefsError;

/// `TRACEFS_MAGIC`, include/uapi/linux/magic.h.
const TRACEFS_MAGIC: i128 = 0x7472_6163;

/// The inode number of a tracefs's root directory: `simple_fill_super` (fs/libfs.c), which tracefs uses, sets it.
const ROOT_INODE: u64 = 1;

/// The directory of the sysctls.
const SYSCTLS: &str = "/proc/sys";

/// The name in messages of a mount that no path leads to.
const PRIVATE_MOUNT: &str = "tracefs (private mount)";

/// A tracefs, held by a descriptor of its root directory.
///
/// Its methods take paths relative to that root, and refuse paths that leave it.
#[derive(Debug)]
pub struct Tracefs {
    root: Directory,
    /// `/proc/sys`, or a directory that replaces it in a test.
    sysctls: PathBuf,
}

impl Tracefs {
    /// Opens the mounted tracefs that `/proc/self/mounts` lists: one of type tracefs, else debugfs's `tracing`.
    ///
    /// # Errors
    /// [`TracefsError::NotMounted`] if none is listed, [`TracefsError::NoMountTable`] without `/proc`. If none of those
    /// listed can be opened, the error of the preferred one.
    pub fn find() -> Result<Self, TracefsError> {
        let table = Path::new("/proc/self/mounts");
        let mounts = std::fs::read(table).map_err(|error| match error.kind() {
            ErrorKind::NotFound => TracefsError::NoMountTable { path: table.to_owned() },
            _ => TracefsError::from_errno(table, Errno::from_io_error(&error).unwrap_or(Errno::IO)),
        })?;
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

    /// Opens the directory given: a tracefs, or, for reading only, a copy of one (see [`Tracefs::is_tracefs`]).
    ///
    /// # Errors
    /// The directory does not exist or cannot be opened. [`TracefsError::NotTheRoot`] for one within a tracefs.
    pub fn open(directory: &Path) -> Result<Self, TracefsError> {
        let path = directory.to_owned();
        let opened = open_directory(directory).map_err(|errno| TracefsError::from_errno(directory, errno));
        let tracefs = Tracefs::of(opened?);
        if tracefs.is_tracefs() && !is_root(tracefs.root.fd()) {
            return Err(TracefsError::NotTheRoot { path, root: root_above(directory) });
        }
        tracefs.unless_locked_down()
    }

    /// Mounts a tracefs that no path leads to: no other process sees it, and it is unmounted when this value is
    /// dropped. Needs CAP_SYS_ADMIN.
    ///
    /// # Errors
    /// [`TracefsError::NoPermission`] or [`TracefsError::LockedDown`] without the permission, [`TracefsError::Io`] with
    /// ENODEV if the kernel has no tracefs.
    pub fn mount_private() -> Result<Self, TracefsError> {
        let fd =
            mount_detached().map_err(|errno| TracefsError::from_errno(Path::new(PRIVATE_MOUNT), errno))?;
        Tracefs::of(Directory::new(fd, PathBuf::from(PRIVATE_MOUNT))).unless_locked_down()
    }

    fn of(root: Directory) -> Self {
        Tracefs { root, sysctls: PathBuf::from(SYSCTLS) }
    }

    /// Replaces the directory of the sysctls.
    #[cfg(test)]
    pub(crate) fn with_sysctls(self, sysctls: PathBuf) -> Self {
        Tracefs { sysctls, ..self }
    }

    /// Returns an error for an empty tracefs: a kernel that is locked down at boot leaves it empty
    /// (kernel/trace/trace.c, `tracing_init_dentry`).
    fn unless_locked_down(self) -> Result<Self, TracefsError> {
        if self.is_tracefs() && !self.exists("events")? {
            return Err(TracefsError::LockedDown { path: self.path().to_owned() });
        }
        Ok(self)
    }

    /// Returns whether `statfs(2)` says that this is a tracefs.
    pub fn is_tracefs(&self) -> bool {
        // A failure counts as no: nothing is written to a directory that is not known to be a tracefs.
        is_tracefs(self.root.fd())
    }

    /// Returns the root directory, whose files are shared by all users of the machine.
    pub(crate) fn root(&self) -> &Directory {
        &self.root
    }

    /// Reads a shared file.
    pub(crate) fn read_shared(&self, file: &Location) -> Result<String, Errno> {
        match file {
            Location::Instance(_) => Err(Errno::XDEV),
            Location::Top(path) => self.root.read_text(path.as_str()),
            Location::Sysctl(sysctl) => open_directory(&self.sysctls)?.read_text(&sysctl.path()),
        }
    }

    /// Writes to a shared file.
    pub(crate) fn write_shared(&self, file: &Location, value: &str) -> Result<(), WriteFailure> {
        let value = value.as_bytes();
        match file {
            Location::Instance(_) => Err(WriteFailure::Open(Errno::XDEV)),
            Location::Top(path) => self.root.write(path.as_str(), value),
            Location::Sysctl(sysctl) => {
                open_directory(&self.sysctls).map_err(WriteFailure::Open)?.write(&sysctl.path(), value)
            }
        }
    }

    /// Returns the path of a file for messages.
    pub(crate) fn path_of(&self, file: &Location) -> PathBuf {
        match file {
            Location::Instance(path) | Location::Top(path) => self.path().join(path.as_str()),
            Location::Sysctl(sysctl) => self.sysctls.join(sysctl.path()),
        }
    }

    /// Returns the name for messages: the mount point, or a description of a private mount.
    pub fn path(&self) -> &Path {
        self.root.path()
    }

    /// Returns the bytes of a file.
    ///
    /// # Errors
    /// The file does not exist ([`TracefsError::is_not_found`]) or cannot be read.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, TracefsError> {
        self.root.read(path)
    }

    /// Returns the text of a file.
    ///
    /// # Errors
    /// As [`Tracefs::read`], and [`TracefsError::NotText`].
    pub fn read_to_string(&self, path: &str) -> Result<String, TracefsError> {
        self.root.read_to_string(path)
    }

    /// Returns the entries of a directory, sorted by name; `""` is the root.
    ///
    /// # Errors
    /// The directory does not exist, is not a directory, or cannot be read.
    pub fn list(&self, path: &str) -> Result<Vec<DirectoryEntry>, TracefsError> {
        self.root.list(path)
    }

    /// Returns whether there is such a file or directory.
    ///
    /// # Errors
    /// The file cannot be looked up for another reason than that it does not exist.
    pub fn exists(&self, path: &str) -> Result<bool, TracefsError> {
        self.root.exists(path)
    }

    /// Runs `mkdir instances/NAME`. EEXIST means that the instance belongs to another program.
    pub(crate) fn make_instance(&self, name: &InstanceName) -> Result<(), Errno> {
        rustix::fs::mkdirat(self.root.fd(), below_instances(name), Mode::from_raw_mode(0o750))
    }

    /// Runs `rmdir instances/NAME`, which also removes its events, filters, triggers and buffers.
    pub(crate) fn remove_instance(&self, name: &InstanceName) -> Result<(), Errno> {
        rustix::fs::unlinkat(self.root.fd(), below_instances(name), AtFlags::REMOVEDIR)
    }

    /// Returns the inode number of an instance's directory, which distinguishes it from a later one of the same name;
    /// `None` if there is none.
    pub(crate) fn instance_inode(&self, name: &InstanceName) -> Result<Option<u64>, Errno> {
        match rustix::fs::statat(self.root.fd(), below_instances(name), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat.st_ino)),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    /// Returns the time at which an instance was made; `None` if there is none.
    pub(crate) fn instance_made(&self, name: &InstanceName) -> Result<Option<SystemTime>, Errno> {
        match rustix::fs::statat(self.root.fd(), below_instances(name), AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let seconds = Duration::from_secs(u64::try_from(stat.st_ctime).unwrap_or(0));
                let rest = Duration::from_nanos(stat.st_ctime_nsec);
                Ok(Some(SystemTime::UNIX_EPOCH + seconds + rest))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        }
    }

    pub(crate) fn open_instance(&self, name: &InstanceName) -> Result<Directory, TracefsError> {
        let path = below_instances(name);
        let fd = self.root.open(&path, OFlags::RDONLY | OFlags::DIRECTORY)?;
        Ok(Directory::new(fd, self.root.path().join(path)))
    }

    /// Returns the path of an instance for messages.
    pub(crate) fn instance_path(&self, name: &InstanceName) -> PathBuf {
        self.root.path().join(below_instances(name))
    }
}

fn open_directory(path: &Path) -> Result<Directory, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(Directory::new(rustix::fs::open(path, flags, Mode::empty())?, path.to_owned()))
}

fn is_tracefs(directory: BorrowedFd<'_>) -> bool {
    rustix::fs::fstatfs(directory).is_ok_and(|stat| i128::from(stat.f_type) == TRACEFS_MAGIC)
}

fn is_root(directory: BorrowedFd<'_>) -> bool {
    rustix::fs::fstat(directory).is_ok_and(|stat| stat.st_ino == ROOT_INODE)
}

/// Returns the root of the tracefs that a directory is in, if a path leads to it.
fn root_above(directory: &Path) -> Option<PathBuf> {
    let directory = directory.canonicalize().ok()?;
    let mut above = directory.ancestors().skip(1);
    let root = above
        .find(|above| open_directory(above).is_ok_and(|above| is_tracefs(above.fd()) && is_root(above.fd())));
    root.map(Path::to_owned)
}

/// Returns the path of an instance. An [`InstanceName`] has neither `/` nor `..`, so the path stays below the root.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_directory_is_not_a_tracefs() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!Tracefs::open(dir.path()).unwrap().is_tracefs());
    }

    #[test]
    fn file_and_missing_path_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert!(matches!(Tracefs::open(&file), Err(TracefsError::Io { errno: Errno::NOTDIR, .. })));
        assert!(Tracefs::open(&dir.path().join("none")).unwrap_err().is_not_found());
    }
}
