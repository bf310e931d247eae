//! What conditions ask of the machine beside its events.

use std::cell::{Cell, OnceCell};

use crate::source::{Functions, KernelError, KernelSource, possible_cpus};

/// A kernel, and what was asked of it once.
pub(crate) struct Machine<'a> {
    /// The kernel.
    pub(crate) kernel: &'a dyn KernelSource,
    functions: OnceCell<Option<Functions>>,
    cpus: OnceCell<Result<Option<u32>, KernelError>>,
    /// How many names the nearest ones were looked for.
    searches: Cell<usize>,
}

/// For how many unknown names the nearest ones are looked for: nobody reads so many suggestions.
const SEARCHES: usize = 200;

impl<'a> Machine<'a> {
    /// Asks nothing yet.
    pub(crate) fn new(kernel: &'a dyn KernelSource) -> Self {
        Machine { kernel, functions: OnceCell::new(), cpus: OnceCell::new(), searches: Cell::new(0) }
    }

    /// The functions that a condition can name; see [`KernelSource::functions`].
    pub(super) fn functions(&self) -> Option<&Functions> {
        self.functions.get_or_init(|| self.kernel.functions()).as_ref()
    }

    /// Whether the names nearest to one more unknown name are worth a search.
    pub(super) fn may_search(&self) -> bool {
        self.searches.set(self.searches.get() + 1);
        self.searches.get() <= SEARCHES
    }

    /// How many numbers its CPUs can have; see [`possible_cpus`].
    pub(super) fn cpus(&self) -> &Result<Option<u32>, KernelError> {
        self.cpus.get_or_init(|| possible_cpus(self.kernel))
    }
}
