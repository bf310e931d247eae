//! What can be done with the files of a directory.

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::Path;

/// The size of a block of all file systems here.
const BLOCK: i64 = 4096;

/// Does with files in a directory what file systems have events for. A file system may refuse any of it.
pub(super) fn exercise(directory: &Path) -> io::Result<()> {
    let at = |name: &str| directory.join(name);
    for index in 0..300 {
        fs::write(at(&format!("small-{index}")), format!("{index}"))?;
    }
    for index in (0..300).step_by(3) {
        fs::rename(at(&format!("small-{index}")), at(&format!("moved-{index}")))?;
        fs::remove_file(at(&format!("moved-{index}")))?;
    }
    fs::create_dir(at("d"))?;
    fs::create_dir(at("d/e"))?;
    fs::rename(at("d/e"), at("e"))?;
    fs::remove_dir(at("e"))?;
    symlink("small-1", at("short"))?;
    symlink("x".repeat(200), at("long"))?;
    let _ = fs::read_link(at("long"))?;
    fs::hard_link(at("small-1"), at("link"))?;
    fs::set_permissions(at("link"), fs::Permissions::from_mode(0o600))?;
    std::os::unix::fs::chown(at("link"), Some(1), Some(1))?;
    extended(&at("link"));
    extended(&at("d"));

    let mut big = OpenOptions::new().read(true).write(true).create_new(true).open(at("big"))?;
    let bytes = vec![7; 1 << 16];
    for _ in 0..64 {
        big.write_all(&bytes)?;
    }
    big.sync_data()?;
    let holes = [
        libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
        libc::FALLOC_FL_ZERO_RANGE,
        libc::FALLOC_FL_COLLAPSE_RANGE,
        libc::FALLOC_FL_INSERT_RANGE,
        libc::FALLOC_FL_KEEP_SIZE,
        0,
    ];
    for mode in holes {
        for (from, length) in [(8 * BLOCK, 4 * BLOCK), (100, 9000), (2000 * BLOCK, 64 * BLOCK)] {
            // SAFETY: the call takes numbers. That a file system refuses a mode does not matter.
            let _ = unsafe { libc::fallocate(big.as_raw_fd(), mode, from, length) };
        }
    }
    for whence in [libc::SEEK_DATA, libc::SEEK_HOLE] {
        // SAFETY: the call takes numbers.
        let _ = unsafe { libc::lseek(big.as_raw_fd(), 0, whence) };
    }
    // Blocks between holes, backwards: many extents.
    for index in (0..400).rev() {
        big.seek(SeekFrom::Start(index * 8 * BLOCK as u64))?;
        big.write_all(b"x")?;
        if index % 50 == 0 {
            big.sync_all()?;
        }
    }
    big.set_len(100_000)?;
    big.set_len(10)?;
    big.sync_all()?;
    map(&big, 1 << 20)?;
    // SAFETY: the calls take numbers.
    unsafe {
        libc::sync_file_range(big.as_raw_fd(), 0, 1 << 20, 7);
        libc::readahead(big.as_raw_fd(), 0, 1 << 20);
        libc::posix_fadvise(big.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED);
        libc::syncfs(big.as_raw_fd());
    }
    big.rewind()?;
    let _ = big.read_to_end(&mut Vec::new())?;
    direct(&at("direct"));
    // An orphan: it goes when its last descriptor is closed.
    let orphan = File::create(at("orphan"))?;
    (&orphan).write_all(&bytes)?;
    fs::remove_file(at("orphan"))?;
    drop(orphan);
    let unnamed = OpenOptions::new().write(true).custom_flags(libc::O_TMPFILE).open(directory);
    drop(unnamed);
    copies(&at("big"), &at("copy"));
    locks(&at("big"))?;
    // Until there is no room.
    let mut full = File::create(at("full"))?;
    while full.write_all(&bytes).is_ok() && full.stream_position()? < 400 << 20 {}
    let _ = full.sync_all();
    let _ = fs::write(at("no-room"), &bytes);
    drop(full);
    fs::remove_file(at("full"))?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Sets and removes extended attributes, short ones and long ones.
fn extended(path: &Path) {
    let Ok(path) = CString::new(path.as_os_str().as_bytes()) else { return };
    let mut list = [0_u8; 4096];
    for (name, size) in [(c"user.a", 3), (c"user.b", 2000), (c"user.a", 60), (c"trusted.c", 30)] {
        let value = vec![1_u8; size];
        // SAFETY: each length is that of its buffer. File systems without attributes refuse.
        unsafe {
            libc::setxattr(path.as_ptr(), name.as_ptr(), value.as_ptr().cast(), size, 0);
            libc::getxattr(path.as_ptr(), name.as_ptr(), list.as_mut_ptr().cast(), list.len());
            libc::listxattr(path.as_ptr(), list.as_mut_ptr().cast(), list.len());
        }
    }
    // SAFETY: the strings live until the call returns.
    unsafe { libc::removexattr(path.as_ptr(), c"user.b".as_ptr()) };
}

/// Writes to a file through a shared mapping.
fn map(file: &File, length: usize) -> io::Result<()> {
    file.set_len(length as u64)?;
    // SAFETY: the mapping is new, within the file, and nothing else refers to it.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let start =
            libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, file.as_raw_fd(), 0);
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        for page in (0..length).step_by(BLOCK as usize) {
            start.cast::<u8>().add(page).write_volatile(1);
        }
        libc::msync(start, length, libc::MS_SYNC);
        libc::munmap(start, length);
    }
    Ok(())
}

/// Writes and reads around the page cache.
fn direct(path: &Path) {
    #[repr(align(4096))]
    struct Aligned([u8; 16 * BLOCK as usize]);
    let mut bytes = Box::new(Aligned([3; 16 * BLOCK as usize]));
    let opened = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(true)
        .custom_flags(libc::O_DIRECT)
        .open(path);
    // A file system may not be able to.
    let Ok(mut file) = opened else { return };
    for _ in 0..4 {
        let _ = file.write_all(&bytes.0);
    }
    let _ = file.rewind();
    let _ = file.read(&mut bytes.0);
    let _ = file.sync_all();
}

/// Copies a file within the kernel.
fn copies(from: &Path, to: &Path) {
    /// `FICLONE` (include/uapi/linux/fs.h).
    const FICLONE: libc::c_ulong = 0x4004_9409;
    let (Ok(from), Ok(to)) = (File::open(from), File::create(to)) else { return };
    let (from, to) = (from.as_raw_fd(), to.as_raw_fd());
    // SAFETY: the calls take numbers and null pointers, which mean the position of the file.
    unsafe {
        libc::copy_file_range(from, std::ptr::null_mut(), to, std::ptr::null_mut(), 10_000, 0);
        libc::sendfile(to, from, std::ptr::null_mut(), 10_000);
        libc::ioctl(to, FICLONE, from);
    }
}

/// Takes locks and leases of all kinds.
pub(super) fn locks(path: &Path) -> io::Result<()> {
    let (file, other) = (OpenOptions::new().read(true).write(true).open(path)?, File::open(path)?);
    let (file, other) = (file.as_raw_fd(), other.as_raw_fd());
    let lock = |kind: libc::c_int| libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: 0,
        l_len: 100,
        l_pid: 0,
    };
    // SAFETY: the calls take numbers and the addresses of local variables.
    unsafe {
        for operation in [libc::LOCK_EX, libc::LOCK_UN] {
            libc::flock(file, operation);
            libc::flock(other, operation | libc::LOCK_NB);
        }
        for kind in [libc::F_WRLCK, libc::F_UNLCK] {
            for command in [libc::F_SETLK, libc::F_GETLK, libc::F_OFD_SETLK] {
                let mut lock = lock(kind);
                libc::fcntl(file, command, &raw mut lock);
            }
        }
        for kind in [libc::F_RDLCK, libc::F_UNLCK] {
            libc::fcntl(other, libc::F_SETLEASE, kind);
        }
    }
    // A lease that an open for writing breaks: its holder is asked by SIGIO, which is ignored, and gives in.
    let reader = File::open(path)?;
    // SAFETY: the calls take numbers.
    unsafe {
        libc::signal(libc::SIGIO, libc::SIG_IGN);
        libc::fcntl(reader.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK);
    }
    let _ = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK).open(path);
    Ok(())
}
