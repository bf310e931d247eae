//! Events that a test can fire with values of its choice.

pub(crate) mod inject;
pub(crate) mod module;
pub(crate) mod probe;
pub(crate) mod rename;
pub(crate) mod signal;
pub(crate) mod syscall;
pub(crate) mod user;

use std::io;

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::field::{Field, Stimulus};
use super::model::Memory;
use super::rig::{Raw, Rig};

/// An event, and the way to fire it.
pub(crate) trait Source {
    /// Returns `SYSTEM/EVENT`.
    fn event(&self) -> &str;

    /// Returns the fields that filters may name, those with a slot first and in the order of their slots.
    fn fields(&self) -> &[Field];

    /// Returns the greatest number of records in a batch; it is small for events that are expensive to fire.
    fn batch(&self) -> usize;

    /// Fires once, on the CPU and with the task's name of the stimulus, which [`prepare`] has set.
    ///
    /// An object whose address the record holds goes into `memory`, and stays there until the batch is judged.
    fn fire(&self, rig: &Rig, stimulus: &Stimulus, memory: &mut Memory) -> Result<(), Failed>;

    /// Returns the part of a record that identifies its stimulus; `None` if it does not belong to one.
    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>>;

    /// Returns the key of this stimulus's record.
    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8>;

    /// Returns the part of a record that is equal in two records that no filter can distinguish.
    fn identity(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        self.key(format, record)
    }
}

/// Binds the thread to the CPU of the stimulus and gives it the name.
pub(crate) fn prepare(stimulus: &Stimulus, cpu_now: &mut Option<u32>) -> Result<(), Failed> {
    if *cpu_now != Some(stimulus.cpu) {
        bind(&[stimulus.cpu])?;
        *cpu_now = Some(stimulus.cpu);
    }
    rename(&stimulus.task)
}

/// Binds the thread to CPUs.
pub(crate) fn bind(cpus: &[u32]) -> Result<(), Failed> {
    // SAFETY: cpu_set_t is an array of integers, for which zeroes are a value.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &cpu in cpus {
        // SAFETY: CPU_SET checks the number against the size of the set.
        unsafe { libc::CPU_SET(cpu as usize, &mut set) };
    }
    // SAFETY: the set lives through the call, and its size is given.
    let result = unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error().into()) }
}

/// Gives the thread a name of at most 15 bytes.
pub(crate) fn rename(name: &[u8]) -> Result<(), Failed> {
    let mut text = [0_u8; 16];
    text[..name.len()].copy_from_slice(name);
    // SAFETY: the kernel reads at most 16 bytes up to a NUL, and the last byte is one.
    let result = unsafe { libc::prctl(libc::PR_SET_NAME, text.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error().into()) }
}

/// Returns the bytes of a field in the fixed part of a record.
fn fixed<'a>(format: &EventFormat, name: &str, record: &'a Raw) -> Option<&'a [u8]> {
    let field = format.field(name)?;
    record.bytes.get(field.offset as usize..)?.get(..field.size as usize)
}
