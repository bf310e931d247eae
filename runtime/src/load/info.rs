//! What the kernel counts of a program.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};

use libbpf_rs::libbpf_sys::{bpf_prog_get_info_by_fd, bpf_prog_info};

/// Returns how many times the kernel did not run a program, because one ran on that CPU already (`recursion_misses` of
/// `struct bpf_prog_info`).
///
/// # Errors
/// The error of bpf(2).
pub(super) fn missed(program: BorrowedFd<'_>) -> io::Result<u64> {
    let mut info = bpf_prog_info::default();
    let mut length = size_of::<bpf_prog_info>() as u32;
    // SAFETY: the kernel writes no more than `length` bytes, and those are the struct; its pointers are NULL, with lengths
    // of 0.
    let result = unsafe { bpf_prog_get_info_by_fd(program.as_raw_fd(), &raw mut info, &raw mut length) };
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(info.recursion_misses) }
}
