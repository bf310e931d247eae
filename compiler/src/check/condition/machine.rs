//! What conditions ask of the machine beside its events.

use std::cell::OnceCell;

use crate::source::{Functions, KernelSource};

/// A kernel, and what was asked of it once.
pub(crate) struct Machine<'a> {
    /// The kernel.
    pub(crate) kernel: &'a dyn KernelSource,
    functions: OnceCell<Option<Functions>>,
    cpus: OnceCell<Option<u32>>,
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

    /// How many CPUs the machine can have; `None` where the source does not tell. There is a buffer for each possible
    /// one (`tracing_init_tracefs_percpu` in kernel/trace/trace.c).
    pub(super) fn cpus(&self) -> Option<u32> {
        let count = || {
            let names = self.kernel.directories("per_cpu").ok()?;
            u32::try_from(names.len()).ok().filter(|count| *count > 0)
        };
        *self.cpus.get_or_init(count)
    }
}
