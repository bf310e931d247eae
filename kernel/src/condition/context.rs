//! Values that a condition asks for and that the record does not hold.
//!
//! A place either has a kind of context or it lacks it: the kernel has all of it while the event fires; a reader of
//! records knows only the CPU whose ring a record came from. A condition runs only where everything that it needs is
//! available. That is decided once, when the condition is placed, by what the table of
//! [realisations](super::realisation) says that the place [lacks](super::realisation::Way::Lacks), and not per record.

use std::ops::Range;

/// The context at the moment when a record was written.
///
/// `None` means that the value is not available: the place has no such context, or the memory faults. The atom that
/// asked is then false. That is so for each value that an implementation does not provide.
pub trait Context {
    /// Returns the CPU that wrote the record.
    fn cpu(&self) -> Option<u32> {
        None
    }

    /// Returns the process id of the task that ran: `current->tgid`.
    fn tgid(&self) -> Option<i32> {
        None
    }

    /// Returns the name of the task that ran: `current->comm`, up to its NUL or with the bytes behind it.
    fn comm(&self) -> Option<&[u8]> {
        None
    }

    /// Returns the text at an address of the kernel, without its NUL. Callers use at most
    /// [`POINTED_TEXT_BYTES`](crate::tables::limits::POINTED_TEXT_BYTES) less one bytes of it.
    fn kernel_text(&self, _address: u64) -> Option<&[u8]> {
        None
    }

    /// Returns the text at an address of the task's own memory, otherwise as [`kernel_text`](Context::kernel_text).
    fn user_text(&self, _address: u64) -> Option<&[u8]> {
        None
    }

    /// Returns the addresses of a function of the kernel, without its end.
    fn function(&self, _name: &str) -> Option<Range<u64>> {
        None
    }
}

/// The context of a record that is read: the CPU whose ring it came from.
#[derive(Clone, Copy, Debug)]
pub struct RecordedOn {
    /// The CPU.
    pub cpu: u32,
}

impl Context for RecordedOn {
    fn cpu(&self) -> Option<u32> {
        Some(self.cpu)
    }
}

/// The context of a place that has no context.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl Context for NoContext {}
