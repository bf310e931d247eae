//! Numbers in the byte order of a file, at a position that is known.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};

/// The number of bytes that are collected before they are written.
const COLLECTED: usize = 256 * 1024;

/// Zeros, to fill pages.
static ZEROS: [u8; 4096] = [0; 4096];

/// What a file is written to.
pub(in crate::record::trace_dat) struct Output<W: Write> {
    out: BufWriter<W>,
    position: u64,
    big_endian: bool,
}

impl<W: Write + Seek> Output<W> {
    /// The size of the head of a section, bytes.
    pub(super) const SECTION: u64 = 16;

    pub(in crate::record::trace_dat) fn new(out: W, big_endian: bool) -> Self {
        Output { out: BufWriter::with_capacity(COLLECTED, out), position: 0, big_endian }
    }

    /// Returns the offset of what is written next.
    pub(in crate::record::trace_dat) fn position(&self) -> u64 {
        self.position
    }

    pub(in crate::record::trace_dat) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.position += bytes.len() as u64;
        Ok(())
    }

    pub(in crate::record::trace_dat) fn zeros(&mut self, mut count: usize) -> io::Result<()> {
        while count > 0 {
            let some = ZEROS.get(..count).unwrap_or(&ZEROS);
            self.bytes(some)?;
            count -= some.len();
        }
        Ok(())
    }

    /// Writes zeros up to a multiple of `size`, and returns the offset.
    pub(in crate::record::trace_dat) fn align(&mut self, size: u64) -> io::Result<u64> {
        let missing = self.position.next_multiple_of(size) - self.position;
        self.zeros(missing as usize)?;
        Ok(self.position)
    }

    pub(in crate::record::trace_dat) fn u16_bytes(&self, number: u16) -> [u8; 2] {
        if self.big_endian { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    pub(in crate::record::trace_dat) fn u32_bytes(&self, number: u32) -> [u8; 4] {
        if self.big_endian { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    pub(in crate::record::trace_dat) fn u64_bytes(&self, number: u64) -> [u8; 8] {
        if self.big_endian { number.to_be_bytes() } else { number.to_le_bytes() }
    }

    pub(in crate::record::trace_dat) fn u16(&mut self, number: u16) -> io::Result<()> {
        self.bytes(&self.u16_bytes(number))
    }

    pub(in crate::record::trace_dat) fn u32(&mut self, number: u32) -> io::Result<()> {
        self.bytes(&self.u32_bytes(number))
    }

    pub(in crate::record::trace_dat) fn u64(&mut self, number: u64) -> io::Result<()> {
        self.bytes(&self.u64_bytes(number))
    }

    /// Writes the head of a section: id, flags, the id of its description, and the number of bytes behind the head.
    pub(super) fn section(&mut self, id: u16, flags: u16, description: u32, size: u64) -> io::Result<()> {
        self.u16(id)?;
        self.u16(flags)?;
        self.u32(description)?;
        self.u64(size)
    }

    /// Writes bytes again that were written before.
    pub(in crate::record::trace_dat) fn again(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(offset))?;
        self.out.write_all(bytes)?;
        self.out.seek(SeekFrom::Start(self.position))?;
        Ok(())
    }

    /// Writes what was collected, and goes to an offset.
    pub(super) fn go_to(&mut self, offset: u64) -> io::Result<()> {
        self.out.seek(SeekFrom::Start(offset))?;
        self.position = offset;
        Ok(())
    }

    /// Writes what was collected.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Writes what was collected, and returns where it was written to.
    pub(in crate::record::trace_dat) fn finish(self) -> io::Result<W> {
        self.out.into_inner().map_err(io::IntoInnerError::into_error)
    }
}
