//! Where the pages of CPUs are in a file whose parts may move while it is read.

use std::sync::Arc;

use super::CpuData;

/// Where the pages of each CPU begin.
pub(super) type Begins = Vec<(u32, u64)>;

/// The places of pages in a file that has one buffer, and nothing of it compressed.
#[derive(Clone, Debug)]
pub(super) struct Places {
    /// The offset of the first options.
    pub(super) options: u64,
    /// Where the pages of each CPU began when the file was opened. All readers know them by these offsets.
    opened: Arc<Begins>,
    /// Where they begin now, as far as a reader knows.
    now: Begins,
}

impl Places {
    pub(super) fn new(options: u64, opened: Begins) -> Self {
        Places { options, now: opened.clone(), opened: Arc::new(opened) }
    }

    /// Takes note of where the pages begin now.
    pub(super) fn set(&mut self, now: Begins) {
        self.now = now;
    }

    /// Returns the number of CPUs.
    pub(super) fn count(&self) -> usize {
        self.opened.len()
    }

    /// Returns where bytes of a CPU's pages are now that were at an offset.
    pub(super) fn place(&self, (cpu, offset): (u32, u64)) -> u64 {
        offset.wrapping_sub(begin(&self.opened, cpu)).wrapping_add(begin(&self.now, cpu))
    }

    /// Gives the pages of CPUs the offsets by which readers know them.
    pub(super) fn name(&self, cpus: &mut [CpuData]) {
        cpus.iter_mut().for_each(|data| data.offset = begin(&self.opened, data.cpu));
    }
}

fn begin(begins: &Begins, cpu: u32) -> u64 {
    begins.iter().find(|(other, _)| *other == cpu).map_or(0, |(_, begin)| *begin)
}
