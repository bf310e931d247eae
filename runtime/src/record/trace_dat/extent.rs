//! The first and the last time of a recording.

use std::io::{Read, Seek};

use tracec_kernel::page::{Page, PageLayout};

use super::{Buffer, CpuData, TraceDat};

impl<R: Read + Seek> TraceDat<R> {
    /// Returns the time of the oldest record, as reports have it; `None` if there are none. Pages that cannot be read are
    /// skipped: reports say them.
    pub fn begin(&mut self) -> Option<u64> {
        let mut begin: Option<u64> = None;
        for buffer in self.buffers.clone() {
            let layout = PageLayout { size: buffer.page_size, ..self.layout };
            for data in &buffer.cpus {
                let correction = self.correction(&buffer, data.cpu);
                let mut pages = self.raw_pages(data, buffer.page_size);
                while let Some(page) = pages.next_page().transpose() {
                    let Ok(Ok(page)) = page.map(|page| Page::new(&layout, page)) else { continue };
                    if let Some(Ok(first)) = page.entries().next() {
                        let time = correction.apply(first.timestamp);
                        begin = Some(begin.map_or(time, |begin| begin.min(time)));
                        break;
                    }
                }
            }
        }
        begin
    }

    /// Returns the time of the newest record, as [`begin`](TraceDat::begin) does.
    pub fn end(&mut self) -> Option<u64> {
        let mut end: Option<u64> = None;
        for buffer in self.buffers.clone() {
            for data in &buffer.cpus {
                for part in last_parts(data, buffer.page_size) {
                    let newest = self.newest(&buffer, &part);
                    end = end.max(newest);
                    if newest.is_some() {
                        break;
                    }
                }
            }
        }
        end
    }

    /// Returns the time of the newest record of some pages of a CPU.
    fn newest(&mut self, buffer: &Buffer, data: &CpuData) -> Option<u64> {
        let layout = PageLayout { size: buffer.page_size, ..self.layout };
        let correction = self.correction(buffer, data.cpu);
        let (mut newest, mut pages) = (None, self.raw_pages(data, buffer.page_size));
        while let Some(page) = pages.next_page().transpose() {
            let Ok(Ok(page)) = page.map(|page| Page::new(&layout, page)) else { continue };
            for entry in page.entries().map_while(Result::ok) {
                newest = newest.max(Some(correction.apply(entry.timestamp)));
            }
        }
        newest
    }
}

/// Returns the pages of a CPU as the least parts that can be read, the last one first.
fn last_parts(data: &CpuData, page_size: u32) -> impl Iterator<Item = CpuData> {
    let page = u64::from(page_size.max(1));
    let pages = if data.chunks.is_empty() { data.size.div_ceil(page) } else { 0 };
    let pages = (0..pages).rev().map(move |number| {
        let at = number * page;
        let size = page.min(data.size - at);
        CpuData { cpu: data.cpu, offset: data.offset.saturating_add(at), size, chunks: Vec::new() }
    });
    let chunks = data.chunks.iter().rev().map(|chunk| CpuData { chunks: vec![*chunk], ..data.clone() });
    pages.chain(chunks)
}
