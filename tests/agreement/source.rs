//! Events that a test can fire with values of its choice.

pub(crate) mod inject;
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
    /// `SYSTEM/EVENT`.
    fn event(&self) -> &str;

    /// The fields that filters may name, those with a slot first and in the order of their slots.
    fn fields(&self) -> &[Field];

    /// How many records a batch has at most; what is dear to fire has small ones.
    fn batch(&self) -> usize;

    /// Fires once, on the CPU and with the task's name of the stimulus, which [`prepare`] has set.
    ///
    /// What the record holds the address of goes into `memory`, and stays there until the batch is judged.
    fn fire(&self, rig: &Rig, stimulus: &Stimulus, memory: &mut Memory) -> Result<(), Failed>;

    /// What tells of which stimulus a record is; `None` if it is of none.
    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>>;

    /// What the record of this stimulus will have for a key.
    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8>;

    /// What two records have in common that no filter can tell apart.
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
    // SAFETY: the kernel reads at most 16 bytes up to a NUL, which the last byte is at the latest.
    let result = unsafe { libc::prctl(libc::PR_SET_NAME, text.as_ptr()) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error().into()) }
}

/// The bytes of a field in the fixed part of a record.
fn fixed<'a>(format: &EventFormat, name: &str, record: &'a Raw) -> Option<&'a [u8]> {
    let field = format.field(name)?;
    record.bytes.get(field.offset as usize..)?.get(..field.size as usize)
}
