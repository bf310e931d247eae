//! The pages of a recording as the source of a pipeline.

use std::io::{Read, Seek};

use tracec_kernel::page::{Page, PageLayout};

use super::input::Input;
use super::{Buffer, CpuData, TraceDatError};
use crate::record::merge::Merge;

/// The number of bytes of a CPU's pages that are read at once. At least one page is read.
const CHUNK: u64 = 256 * 1024;

/// The pages of all buffers. Each CPU is one lane.
pub(crate) struct Pages<'f, R> {
    input: &'f mut Input<R>,
    layout: &'f PageLayout,
    lanes: Vec<Lane>,
    bytes: Vec<u8>,
}

/// The part of a CPU's pages that has not been read.
struct Lane {
    data: CpuData,
    read: u64,
}

impl<'f, R: Read + Seek> Pages<'f, R> {
    pub(super) fn new(input: &'f mut Input<R>, layout: &'f PageLayout, buffers: &[Buffer]) -> Self {
        let data = buffers.iter().flat_map(|buffer| &buffer.cpus);
        let lanes = data.map(|&data| Lane { data, read: 0 }).collect();
        Pages { input, layout, lanes, bytes: Vec::new() }
    }

    /// Returns the CPUs in the order of their lanes.
    pub(crate) fn cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.lanes.iter().map(|lane| lane.data.cpu)
    }

    /// Reads more pages for each lane that has no record left to release.
    pub(crate) fn fill(&mut self, merge: &mut Merge) -> Result<(), TraceDatError> {
        for index in 0..self.lanes.len() {
            while merge.is_empty(index) && self.read_some(index, merge)? {}
        }
        Ok(())
    }

    /// Reads whole pages of a lane, as many as fit in a chunk. Returns whether there were any.
    fn read_some(&mut self, index: usize, merge: &mut Merge) -> Result<bool, TraceDatError> {
        let Some(Lane { data, read }) = self.lanes.get_mut(index) else { return Ok(false) };
        let page = u64::from(self.layout.size).max(1);
        let length = (data.size - *read).min(CHUNK.max(page) / page * page);
        if length > 0 {
            self.bytes.clear();
            self.input.seek(data.offset.saturating_add(*read))?;
            self.input.append(length, "the pages of a cpu", &mut self.bytes)?;
            for bytes in self.bytes.chunks(page as usize) {
                let offset = data.offset + *read;
                let page = Page::new(self.layout, bytes).and_then(|page| merge.push(index, &page));
                page.map_err(|source| TraceDatError::Page { cpu: data.cpu, offset, source })?;
                *read += bytes.len() as u64;
            }
        }
        merge.set_drained(index, *read >= data.size);
        Ok(length > 0)
    }
}
