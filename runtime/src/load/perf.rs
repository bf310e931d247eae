//! A tracepoint as a performance event, to which a program is attached.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

/// `PERF_TYPE_TRACEPOINT` (include/uapi/linux/perf_event.h).
const TRACEPOINT: u32 = 2;

/// `PERF_FLAG_FD_CLOEXEC`.
const CLOEXEC: libc::c_ulong = 1 << 3;

/// The first members of `struct perf_event_attr`, whose other bits are 0.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    sample_period: u64,
    sample_type: u64,
    read_format: u64,
    flags: u64,
    wakeup_events: u32,
    bp_type: u32,
    bp_addr: u64,
}

/// Opens the tracepoint with an id, as `events/SYSTEM/EVENT/id` has it, for all tasks. Programs at a tracepoint run on
/// all CPUs, whichever CPU is named here.
///
/// # Errors
/// The error of perf_event_open(2).
pub(super) fn tracepoint(id: u64) -> io::Result<OwnedFd> {
    let size = size_of::<Attributes>() as u32;
    let attributes = Attributes { kind: TRACEPOINT, size, config: id, ..Attributes::default() };
    let (all_tasks, cpu, no_group) = (-1, 0, -1);
    // SAFETY: the call reads as many bytes behind the pointer as `size` says, and those are the struct.
    let fd = unsafe {
        libc::syscall(libc::SYS_perf_event_open, &raw const attributes, all_tasks, cpu, no_group, CLOEXEC)
    };
    match i32::try_from(fd) {
        // SAFETY: the descriptor is new and belongs to nobody else.
        Ok(fd) if fd >= 0 => Ok(unsafe { OwnedFd::from_raw_fd(fd) }),
        _ => Err(io::Error::last_os_error()),
    }
}
