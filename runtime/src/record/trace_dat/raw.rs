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
    /// The offset of the page that was returned last, and that of the next one, among those of the CPU.
    last: u64,
    next: u64,
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
            last: 0,
            next: 0,
        }
    }
}

impl<R: Read + Seek> RawPages<'_, R> {
    /// Returns the next page; the last one may be shorter than the others. `None` behind the last.
    ///
    /// # Errors
    /// [`TraceDatError`]: the file ends early, or a chunk cannot be decompressed. The next call goes on behind it.
    pub fn next_page(&mut self) -> Result<Option<&[u8]>, TraceDatError> {
        while self.bytes.len() - self.begin < self.page_size {
            match self.read() {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    self.skip();
                    return Err(error);
                }
            }
        }
        let rest = self.bytes.get(self.begin..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(None);
        }
        let page = rest.get(..self.page_size).unwrap_or(rest);
        self.begin += page.len();
        (self.last, self.next) = (self.next, self.next + page.len() as u64);
        Ok(Some(page))
    }

    /// Returns where the page that was returned last is in the file: where pages are compressed, its chunk.
    pub fn place(&self) -> u64 {
        self.data.place(self.last)
    }

    /// Goes on at the first page behind what could not be read.
    fn skip(&mut self) {
        let page = self.page_size as u64;
        self.next = self.at.checked_next_multiple_of(page).unwrap_or(u64::MAX);
        self.bytes.clear();
        self.begin = 0;
    }

    /// Reads on. Returns whether there was more.
    fn read(&mut self) -> Result<bool, TraceDatError> {
        self.bytes.drain(..self.begin);
        self.begin = 0;
        let before = self.bytes.len();
        if !self.data.chunks.is_empty() {
            let Some(chunk) = self.data.chunks.get(self.chunk).copied() else { return Ok(false) };
            self.chunk += 1;
            self.at = chunk.end();
            self.stored.resize(chunk.stored as usize, 0);
            self.input.fill_chunk(chunk.offset, &mut self.stored)?;
            let decompressed = self.compression.decompress(&self.stored, chunk.length, &mut self.bytes);
            complete(decompressed, "a chunk of pages", chunk.offset)?;
        } else {
            let left = self.data.size - self.at;
            if left == 0 {
                return Ok(false);
            }
            let of = (self.data.cpu, self.data.offset.saturating_add(self.at));
            // A file that was cut has less.
            let there = match self.input.length_from(of) {
                0 => left,
                there => there,
            };
            let length = left.min(READ as u64).min(there) as usize;
            self.bytes.resize(before + length, 0);
            let filled = fill_pages(self.input, of, self.bytes.get_mut(before..).unwrap_or_default());
            self.at = match &filled {
                Err(TraceDatError::Truncated { .. }) => self.data.size,
                _ => self.at + length as u64,
            };
            filled?;
        }
        // Behind a part that could not be read, the next one may begin within a page.
        let skipped = self.next.saturating_sub(self.at - (self.bytes.len() - before) as u64);
        if before == 0 && skipped > 0 {
            self.bytes.drain(..(skipped as usize).min(self.bytes.len()));
        }
        Ok(true)
    }
}
