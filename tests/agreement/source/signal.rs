//! A signal that the thread sends itself and ignores: a record that is written while interrupts are off.

use std::io;

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, HEADER, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const INT: Kind = Kind::Int { bits: 32, signed: true };

/// `errno` holds the serial.
const FIELDS: &[Field] = &[
    chosen("code", INT, 0),
    given("comm", Kind::FixedText),
    given("cpu", Kind::Cpu),
    HEADER[0],
    HEADER[1],
    HEADER[2],
    HEADER[3],
];

/// `signal:signal_generate`: `__send_signal_locked` (kernel/signal.c) runs under a lock that is taken with interrupts
/// off.
#[derive(Debug)]
pub(crate) struct Signal;

/// A signal whose default action is to ignore it.
const SIGNAL: libc::c_int = libc::SIGURG;

/// `siginfo_t`: signal, error and code come first (include/uapi/asm-generic/siginfo.h), and the rest is 0.
#[repr(C, align(8))]
struct SignalInfo([libc::c_int; 32]);

impl Source for Signal {
    fn event(&self) -> &'static str {
        "signal/signal_generate"
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    fn batch(&self) -> usize {
        128
    }

    fn fire(&self, rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        let [Value::Bits(code)] = stimulus.values.as_slice() else {
            return Err("the values are not those of the fields".into());
        };
        let mut info = SignalInfo([0; 32]);
        info.0[..3].copy_from_slice(&[SIGNAL, stimulus.serial as i32, *code as i32]);
        // SAFETY: the kernel reads a `siginfo_t` of 128 bytes, which lives through the call.
        let result = unsafe {
            libc::syscall(
                libc::SYS_rt_tgsigqueueinfo,
                std::process::id(),
                rig.thread,
                SIGNAL,
                &raw const info,
            )
        };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error().into()) }
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        (fixed(format, "sig", record)? == SIGNAL.to_ne_bytes()).then_some(())?;
        fixed(format, "errno", record).map(<[u8]>::to_vec)
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
