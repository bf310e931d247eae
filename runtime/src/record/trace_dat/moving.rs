//! Where the pages of CPUs are in a file that a session writes, and completes while it is read.
//!
//! At the end of a session the pages of its CPUs are moved together (`writer/live.rs`), and the file gets shorter. What is
//! read at an offset of before may then be the pages of another CPU, or a hole, in which there are no records. The options
//! always say where the pages are, and the writer changes them before it gives up their place. So they are read again after
//! the pages: if these are still at the same place, so they were meanwhile; if not, they are read from their new place.
//! Pages do not change when they are moved.

use std::io::{Read, Seek};
use std::sync::Arc;

use super::input::Input;
use super::{CpuData, TraceDatError, v7};

/// Where the pages of each CPU begin.
pub(super) type Begins = Vec<(u32, u64)>;

/// A file whose pages may move. It has one buffer, and nothing in it is compressed.
#[derive(Clone, Debug)]
pub(super) struct Moving {
    /// The offset of the first options.
    options: u64,
    /// Where the pages of each CPU began when the file was opened. All readers know them by these offsets.
    opened: Arc<Begins>,
    /// Where they begin now, as far as this reader knows.
    now: Begins,
}

impl Moving {
    pub(super) fn new(options: u64, opened: Begins) -> Self {
        Moving { options, now: opened.clone(), opened: Arc::new(opened) }
    }

    /// Reads bytes of the pages of a CPU, which were at an offset when the file was opened.
    pub(super) fn fill<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        (cpu, offset): (u32, u64),
        bytes: &mut [u8],
        what: &'static str,
    ) -> Result<(), TraceDatError> {
        // The pages of a CPU move with each CPU before it, and once by themselves.
        let mut attempts = self.opened.len() + 2;
        loop {
            let place = self.place(cpu, offset);
            let filled = input.seek(place).and_then(|()| input.fill(bytes, what));
            let now = input.measure().and_then(|()| v7::begins(input, self.options));
            attempts -= 1;
            match now {
                Ok(now) => self.now = now,
                Err(error) if attempts == 0 => return filled.and(Err(error)),
                Err(_) => continue,
            }
            if place == self.place(cpu, offset) || attempts == 0 {
                return filled;
            }
        }
    }

    /// Returns where bytes of a CPU's pages are now, as far as this reader knows.
    pub(super) fn place(&self, cpu: u32, offset: u64) -> u64 {
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
