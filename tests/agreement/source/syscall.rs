//! A system call with arguments that it refuses: unsigned slots for signed arguments, pointers to text.

use std::fs;

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const SLOT: Kind = Kind::Int { bits: 64, signed: false };

/// `faccessat2(dfd, filename, mode, flags)`: impossible flags are refused before any text is looked at, and so can hold
/// the serial.
const FIELDS: &[Field] = &[
    chosen("dfd", SLOT, 0),
    chosen("filename", Kind::UserText, 1),
    chosen("mode", SLOT, 2),
    given("filename", Kind::KernelText),
    given("__syscall_nr", Kind::Int { bits: 32, signed: true }),
    given("CPU", Kind::Cpu),
    given("cpu", Kind::Cpu),
    given("COMM", Kind::TaskName),
];

/// No flag of faccessat2(2): above it the serial.
const IMPOSSIBLE: u64 = 0x8000_0000;

/// `syscalls:sys_enter_faccessat2`.
#[derive(Debug)]
pub(crate) struct Syscall {
    /// The address of the kernel's banner.
    banner: Option<u64>,
}

impl Syscall {
    /// The event; `memory` says whether the kernel's banner can be pointed to.
    pub(crate) fn new(memory: &Memory) -> Self {
        Syscall { banner: memory.kernel.keys().next().copied() }
    }
}

/// The kernel's own text and where it lies: `linux_banner` (init/version.c) holds what `/proc/version` gives.
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
        "syscalls/sys_enter_faccessat2"
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    fn batch(&self) -> usize {
        192
    }

    fn fire(&self, _rig: &Rig, stimulus: &Stimulus, memory: &mut Memory) -> Result<(), Failed> {
        let [Value::Bits(dfd), Value::Text(text), Value::Bits(mode)] = stimulus.values.as_slice() else {
            return Err("the values are not those of the fields".into());
        };
        // Every fifth points elsewhere: to the kernel's banner, to nothing, or where nothing is mapped.
        let text = [text.as_slice(), b"\0"].concat().into_boxed_slice();
        let address = match (stimulus.serial % 5, stimulus.serial % 3, self.banner) {
            (0, 0 | 1, Some(banner)) => banner,
            (0, 0, None) => 0,
            (0, ..) => 1,
            _ => text.as_ptr() as u64,
        };
        let flags = u64::from(stimulus.serial) << 32 | IMPOSSIBLE;
        // SAFETY: the flags are impossible, so that the call fails before it looks at anything else.
        unsafe { libc::syscall(libc::SYS_faccessat2, *dfd, address, *mode, flags) };
        if address == text.as_ptr() as u64 {
            memory.user.insert(address, text[..text.len() - 1].to_vec());
            // The address must stay this text's own until the batch is judged.
            memory.kept.push(text);
        }
        Ok(())
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        let flags = u64::from_ne_bytes(fixed(format, "flags", record)?.try_into().ok()?);
        let serial = (flags & 0xffff_ffff == IMPOSSIBLE).then_some((flags >> 32) as u32)?;
        Some(serial.to_ne_bytes().to_vec())
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
