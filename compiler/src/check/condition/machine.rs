//! What conditions ask of the machine beside its events.

use std::cell::OnceCell;

use crate::source::{Functions, KernelError, KernelSource, possible_cpus};

/// A kernel, and what was asked of it once.
pub(crate) struct Machine<'a> {
    /// The kernel.
    pub(crate) kernel: &'a dyn KernelSource,
    functions: OnceCell<Option<Functions>>,
    cpus: OnceCell<Result<Option<u32>, KernelError>>,
}

impl<'a> Machine<'a> {
    /// Asks nothing yet.
    pub(crate) fn new(kernel: &'a dyn KernelSource) -> Self {
        Machine { kernel, functions: OnceCell::new(), cpus: OnceCell::new() }
    }

    /// The functions that a condition can name; see [`KernelSource::functions`].
    pub(super) fn functions(&self) -> Option<&Functions> {
        self.functions.get_or_init(|| self.kernel.functions()).as_ref()
    }

    /// How many numbers its CPUs can have; see [`possible_cpus`].
    pub(super) fn cpus(&self) -> &Result<Option<u32>, KernelError> {
        self.cpus.get_or_init(|| possible_cpus(self.kernel))
    }
}
