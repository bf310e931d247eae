//! The pages of a CPU one after the other, as the kernel wrote them.

use std::io::{Read, Seek};

use super::compression::{Compression, complete};
use super::input::Input;
use super::moving::fill_pages;
use super::{CpuData, TraceDat, TraceDatError};

/// How many bytes are read at once from a file that is not compressed.
const READ: usize = 256 * 1024;

/// The pages of a CPU in their order. It holds some pages, whatever the size of the file.
pub struct RawPages<'f, R> {
    input: &'f mut Input<R>,
    compression: Compression,
    data: CpuData,
    page_size: usize,
    /// Bytes of the CPU that were read and not yet returned, from `begin` on.
    bytes: Vec<u8>,
    begin: usize,
    /// The number of bytes that were read of the CPU; the chunk that is read next.
    at: u64,
    chunk: usize,
    stored: Vec<u8>,
}

impl<R: Read + Seek> TraceDat<R> {
    /// Returns the pages of a CPU, which have `page_size` bytes each.
    pub fn raw_pages(&mut self, data: &CpuData, page_size: u32) -> RawPages<'_, R> {
        RawPages {
            input: &mut self.input,
            compression: self.compression,
            data: data.clone(),
            page_size: page_size.max(1) as usize,
            bytes: Vec::new(),
            begin: 0,
            at: 0,
            chunk: 0,
            stored: Vec::new(),
        }
    }
}

impl<R: Read + Seek> RawPages<'_, R> {
    /// Returns the next page; the last one may be shorter than the others. `None` behind the last.
    ///
    /// # Errors
    /// [`TraceDatError`]: the file ends early, or a chunk cannot be decompressed.
    pub fn next_page(&mut self) -> Result<Option<&[u8]>, TraceDatError> {
        while self.bytes.len() - self.begin < self.page_size && self.read()? {}
        let rest = self.bytes.get(self.begin..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let page = rest.get(..self.page_size).unwrap_or(rest);
        self.begin += page.len();
        Ok(Some(page))
    }

    /// Reads on. Returns whether there was more.
    fn read(&mut self) -> Result<bool, TraceDatError> {
        self.bytes.drain(..self.begin);
        self.begin = 0;
        if self.data.chunks.is_empty() {
            let length = (self.data.size - self.at).min(READ as u64) as usize;
            if length == 0 {
                return Ok(false);
            }
            let before = self.bytes.len();
            self.bytes.resize(before + length, 0);
            let of = (self.data.cpu, self.data.offset.saturating_add(self.at));
            fill_pages(self.input, of, self.bytes.get_mut(before..).unwrap_or_default())?;
            self.at += length as u64;
            return Ok(true);
        }
        let Some(chunk) = self.data.chunks.get(self.chunk).copied() else { return Ok(false) };
        self.chunk += 1;
        let what = "a chunk of pages";
        self.stored.resize(chunk.stored as usize, 0);
        self.input.fill_chunk(chunk.offset, &mut self.stored)?;
        let decompressed = self.compression.decompress(&self.stored, chunk.length, &mut self.bytes);
        complete(decompressed, what, chunk.offset)?;
        Ok(true)
    }
}
