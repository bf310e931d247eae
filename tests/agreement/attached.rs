//! Programs at the event itself: the kernel runs each where the event fires, and counts the events that it lets through.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsFd, AsRawFd, FromRawFd};

use libtest_mimic::Failed;

use super::bpf_kernel::Loaded;
use super::drive::Driver;
use super::field::Stimulus;

/// `PERF_TYPE_TRACEPOINT` and `PERF_EVENT_IOC_SET_BPF` (include/uapi/linux/perf_event.h).
const TRACEPOINT: u32 = 2;
const SET_BPF: libc::c_ulong = 0x4004_2408;

/// `PERF_ATTR_SIZE_VER0`.
const ATTRIBUTES: usize = 64;

/// A count of an event of this thread, on any CPU, where a program lets it through (`perf_trace_run_bpf_submit` in
/// kernel/events/core.c).
struct Count(File);

impl Count {
    fn new(event: u16, program: &Loaded) -> io::Result<Count> {
        let mut attributes = [0_u8; ATTRIBUTES];
        attributes[..4].copy_from_slice(&TRACEPOINT.to_ne_bytes());
        attributes[4..8].copy_from_slice(&(ATTRIBUTES as u32).to_ne_bytes());
        attributes[8..16].copy_from_slice(&u64::from(event).to_ne_bytes());
        let (this_thread, any_cpu, no_group, flags) = (0, -1, -1, 0);
        // SAFETY: the kernel reads as many bytes as the attributes say of themselves.
        let opened = unsafe {
            let attributes = attributes.as_ptr();
            libc::syscall(libc::SYS_perf_event_open, attributes, this_thread, any_cpu, no_group, flags)
        };
        if opened < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new.
        let count = Count(unsafe { File::from_raw_fd(opened as i32) });
        // SAFETY: the call takes a number.
        match unsafe { libc::ioctl(count.0.as_raw_fd(), SET_BPF, program.as_fd().as_raw_fd()) } {
            0 => Ok(count),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn read(&mut self) -> io::Result<u64> {
        let mut count = [0; 8];
        self.0.read_exact(&mut count)?;
        Ok(u64::from_ne_bytes(count))
    }
}

/// Fires a batch again while a program is at the event. Returns whether it lets each through.
pub(crate) fn decisions(
    driver: &mut Driver<'_>,
    program: &Loaded,
    batch: &[Stimulus],
) -> Result<Vec<bool>, Failed> {
    let event = driver.format.id;
    let mut count = Count::new(event, program).map_err(|error| format!("event {event}: {error}"))?;
    let mut passed = Vec::with_capacity(batch.len());
    driver.fire_each(batch, |fire| {
        let before = count.read()?;
        fire()?;
        passed.push(count.read()? != before);
        Ok(())
    })?;
    drop(count);
    // The instances have recorded it too.
    driver.rig.drain()?;
    Ok(passed)
}
