//! A system call with arguments that it refuses: whole registers for arguments of 32 bits, pointers to strings.

use std::fs;

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const SLOT: Kind = Kind::Int { bits: 64, signed: false };

/// `statx(dfd, filename, flags, mask, buffer)`: an impossible mask is refused before any file is looked up, so that it
/// can hold the serial. `dfd` is an `int`, `flags` an `unsigned`, `mask` an `unsigned int`.
const FIELDS: &[Field] = &[
    chosen("dfd", SLOT, 0),
    chosen("filename", Kind::UserText, 1),
    chosen("flags", SLOT, 2),
    given("filename", Kind::KernelText),
    given("__syscall_nr", Kind::Int { bits: 32, signed: true }),
    given("CPU", Kind::Cpu),
    given("cpu", Kind::Cpu),
    given("COMM", Kind::TaskName),
];

/// The bit that statx(2) reserves (`STATX__RESERVED`, include/uapi/linux/stat.h): the bits above it hold the serial.
const IMPOSSIBLE: u64 = 0x8000_0000;

/// `syscalls:sys_enter_statx`.
#[derive(Debug)]
pub(crate) struct Syscall {
    /// The address of the kernel's banner.
    banner: Option<u64>,
}

impl Syscall {
    /// Returns the event; `memory` says whether the kernel's banner can be pointed to.
    pub(crate) fn new(memory: &Memory) -> Self {
        Syscall { banner: memory.kernel.keys().next().copied() }
    }
}

/// Returns the kernel's own string and its address: `linux_banner` (init/version.c) holds the text of `/proc/version`.
pub(crate) fn banner() -> Result<(u64, Vec<u8>), String> {
    let symbols = fs::read_to_string("/proc/kallsyms").map_err(|error| format!("/proc/kallsyms: {error}"))?;
    let line = symbols.lines().find(|line| line.ends_with(" linux_banner"));
    let line = line.ok_or("/proc/kallsyms does not list linux_banner (CONFIG_KALLSYMS_ALL)")?;
    match u64::from_str_radix(line.split(' ').next().unwrap_or_default(), 16) {
        Ok(0) | Err(_) => Err("/proc/kallsyms hides addresses".to_owned()),
        Ok(address) => Ok((address, fs::read("/proc/version").map_err(|error| error.to_string())?)),
    }
}

impl Source for Syscall {
    fn event(&self) -> &'static str {
        "syscalls/sys_enter_statx"
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    fn batch(&self) -> usize {
        192
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, memory: &mut Memory) -> Result<(), Failed> {
        let [Value::Bits(dfd), Value::Text(text), Value::Bits(flags)] = stimulus.values.as_slice() else {
            return Err("the values are not those of the fields".into());
        };
        // Every fifth points elsewhere: to the kernel's banner, to null, or to an unmapped address.
        let text = [text.as_slice(), b"\0"].concat().into_boxed_slice();
        let address = match (stimulus.serial % 5, stimulus.serial % 3, self.banner) {
            (0, 0 | 1, Some(banner)) => banner,
            (0, 0, None) => 0,
            (0, ..) => 1,
            _ => text.as_ptr() as u64,
        };
        let mask = u64::from(stimulus.serial) << 32 | IMPOSSIBLE;
        // SAFETY: the mask is impossible, so that the call fails after it has read the string at most; it writes
        // nothing.
        unsafe { libc::syscall(libc::SYS_statx, *dfd, address, *flags, mask, 0_u64) };
        if address == text.as_ptr() as u64 {
            memory.user.insert(address, text[..text.len() - 1].to_vec());
            // The address must not be reused until the batch is judged.
            memory.kept.push(text);
        }
        Ok(())
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        let mask = u64::from_ne_bytes(fixed(format, "mask", record)?.try_into().ok()?);
        let serial = (mask & 0xffff_ffff == IMPOSSIBLE).then_some((mask >> 32) as u32)?;
        Some(serial.to_ne_bytes().to_vec())
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
