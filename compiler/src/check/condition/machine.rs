//! Properties of the machine, besides its events, that conditions depend on.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use super::printed::Printed;
use crate::source::{Functions, KernelError, KernelSource, possible_cpus};

/// A kernel, with the answers that were computed once.
pub(crate) struct Machine<'a> {
    /// The kernel.
    pub(crate) kernel: &'a dyn KernelSource,
    functions: OnceCell<Option<Arc<Functions>>>,
    cpus: OnceCell<Result<Option<u32>, KernelError>>,
    /// The number of searches for similar names.
    searches: Cell<usize>,
    /// What its events print.
    pub(super) printed: Printed,
}

/// The limit of searches for similar names: more suggestions would not be read.
const SEARCHES: usize = 200;

impl<'a> Machine<'a> {
    /// Returns a machine without asking its kernel anything yet.
    pub(crate) fn new(kernel: &'a dyn KernelSource) -> Self {
        Machine {
            kernel,
            functions: OnceCell::new(),
            cpus: OnceCell::new(),
            searches: Cell::new(0),
            printed: Printed::default(),
        }
    }

    /// Returns the functions that a condition can name; see [`KernelSource::functions`].
    pub(super) fn functions(&self) -> Option<&Functions> {
        self.functions.get_or_init(|| self.kernel.functions()).as_deref()
    }

    /// Returns whether one more search for similar names is allowed.
    pub(super) fn may_search(&self) -> bool {
        self.searches.set(self.searches.get() + 1);
        self.searches.get() <= SEARCHES
    }

    /// Returns how many CPUs there can be; see [`possible_cpus`].
    pub(super) fn cpus(&self) -> &Result<Option<u32>, KernelError> {
        self.cpus.get_or_init(|| possible_cpus(self.kernel))
    }
}
