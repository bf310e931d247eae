//! What a condition asks that the record does not hold.
//!
//! A place either has a kind of context or it has not: the kernel has all of it while the event fires, a reader of records
//! knows the CPU whose ring a record came from and nothing else. A condition runs only where all that it needs is there;
//! that is decided when it is placed, by what the table of [realisations](super::realisation) says that the place
//! [lacks](super::realisation::Way::Lacks), and not per record.

use std::ops::Range;

/// The moment at which a record was written.
///
/// `None` is what could not be had: the place has no such context, or the memory faults. The atom that asked is false.
pub trait Context {
    /// The CPU that recorded.
    fn cpu(&self) -> Option<u32>;

    /// Returns the process id of the task that ran: `current->tgid`.
    fn tgid(&self) -> Option<i32>;

    /// The name of the task that ran: `current->comm`, up to its NUL or with what stands behind it.
    fn comm(&self) -> Option<&[u8]>;

    /// The text at an address of the kernel, without its NUL. Who asks looks at no more of it than
    /// [`POINTED_TEXT_BYTES`](crate::tables::limits::POINTED_TEXT_BYTES) less one.
    fn kernel_text(&self, address: u64) -> Option<&[u8]>;

    /// The text at an address of the task's own memory; the same.
    fn user_text(&self, address: u64) -> Option<&[u8]>;

    /// The addresses of a function of the kernel, its end not in.
    fn function(&self, name: &str) -> Option<Range<u64>>;
}

/// The context of a place that has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoContext;

impl Context for NoContext {
    fn cpu(&self) -> Option<u32> {
        None
    }

    fn tgid(&self) -> Option<i32> {
        None
    }

    fn comm(&self) -> Option<&[u8]> {
        None
    }

    fn kernel_text(&self, _: u64) -> Option<&[u8]> {
        None
    }

    fn user_text(&self, _: u64) -> Option<&[u8]> {
        None
    }

    fn function(&self, _: &str) -> Option<Range<u64>> {
        None
    }
}
