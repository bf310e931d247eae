//! What a condition asks that the record does not hold.
//!
//! A place either has a kind of context or it has not ([`Needs`]): the kernel has all of it while the event fires, a
//! reader of records knows the CPU whose ring a record came from and nothing else. A condition runs only where all that
//! it needs is there; that is decided when it is placed, not per record.

use std::ops::Range;

/// The moment at which a record was written.
///
/// `None` is what could not be had: the place has no such context, or the memory faults. The atom that asked is false.
pub trait Context {
    /// The CPU that recorded.
    fn cpu(&self) -> Option<u32>;

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

/// The kinds of context, as a set: what a condition needs, or what a place has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// [`Context::cpu`].
    pub cpu: bool,
    /// [`Context::comm`].
    pub comm: bool,
    /// [`Context::kernel_text`].
    pub kernel_memory: bool,
    /// [`Context::user_text`].
    pub user_memory: bool,
    /// [`Context::function`].
    pub functions: bool,
}

impl Needs {
    /// Everything: the kernel while the event fires.
    pub const ALL: Needs =
        Needs { cpu: true, comm: true, kernel_memory: true, user_memory: true, functions: true };

    /// What a reader of records has: it knows which CPU's ring it reads.
    pub const RECORDING: Needs =
        Needs { cpu: true, comm: false, kernel_memory: false, user_memory: false, functions: false };

    /// What either of the two needs.
    pub fn union(self, other: Needs) -> Needs {
        Needs {
            cpu: self.cpu || other.cpu,
            comm: self.comm || other.comm,
            kernel_memory: self.kernel_memory || other.kernel_memory,
            user_memory: self.user_memory || other.user_memory,
            functions: self.functions || other.functions,
        }
    }

    /// Whether a place with `self` has all of `needed`.
    pub fn covers(self, needed: Needs) -> bool {
        self.union(needed) == self
    }
}
