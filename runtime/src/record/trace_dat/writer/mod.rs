//! Writes version 7: sections, the options that name them, and the pages of buffers.
//!
//! A file is written from its start to its end. Numbers that are known later, as the size of a section, are written again
//! at their place. [`Writer::options`] names what is pending: after each call the file can be read.

mod encoder;
mod live;
mod output;
mod v6;

use std::io::{self, Seek, Write};

use tracec_kernel::page::PageLayout;

use super::Compression;
use super::option;
use super::section::COMPRESSED;
use encoder::Encoder;
pub(crate) use live::LiveFile;
pub(super) use output::Output;
pub(super) use v6::write_tables;

/// The number of pages in a chunk (`PAGES_IN_CHUNK` in lib/trace-cmd/trace-output.c).
const CHUNK_PAGES: usize = 10;

/// What a file begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Whether numbers begin with the highest byte.
    pub big_endian: bool,
    /// The size of a `long` of the traced user space, bytes.
    pub long_size: u8,
    /// The size of a page of the top-level buffer, bytes. Each buffer has pages of its own size.
    pub page_size: u32,
}

/// The head of a file of this machine.
impl Default for Head {
    fn default() -> Self {
        Head {
            big_endian: cfg!(target_endian = "big"),
            long_size: size_of::<usize>() as u8,
            page_size: u32::try_from(rustix::param::page_size()).unwrap_or(PageLayout::default().size),
        }
    }
}

impl Head {
    /// Writes what both versions begin with.
    pub(super) fn write<W: Write + Seek>(self, out: &mut Output<W>, version: u8) -> io::Result<()> {
        out.bytes(b"\x17\x08\x44tracing")?;
        out.bytes(&[b'0' + version, 0, u8::from(self.big_endian), self.long_size])?;
        out.u32(self.page_size)
    }
}

/// A file that is being written.
pub struct Writer<W: Write> {
    out: Output<W>,
    encoder: Option<Encoder>,
    /// The options that are not written yet.
    pending: Vec<u8>,
    /// Where the offset of the next section with options belongs.
    next: u64,
    /// The descriptions of sections, each with a NUL.
    strings: Vec<u8>,
}

impl<W: Write + Seek> Writer<W> {
    /// Begins a file at the position of `out`, which has to be 0. Its sections and pages are compressed as `compression`
    /// says.
    ///
    /// # Errors
    /// Those of `out`, also of every other method, and an encoder that cannot be made.
    pub fn new(out: W, head: Head, compression: Compression) -> io::Result<Self> {
        let mut out = Output::new(out, head.big_endian);
        head.write(&mut out, 7)?;
        let encoder = Encoder::new(compression)?;
        out.bytes(compression.name().as_bytes())?;
        out.bytes(b"\0")?;
        out.bytes(encoder.as_ref().map_or("", Encoder::version).as_bytes())?;
        out.bytes(b"\0")?;
        let next = out.position();
        out.u64(0)?;
        Ok(Writer { out, encoder, pending: Vec::new(), next, strings: Vec::new() })
    }

    /// Writes a section, and adds the option of its id with its offset and `behind`, what the option has behind the offset.
    ///
    /// # Errors
    /// As [`new`](Writer::new).
    pub fn section(&mut self, id: u16, body: &[u8], behind: &[u8]) -> io::Result<()> {
        let offset = self.out.position();
        let description = self.describe(option::description(id));
        match &mut self.encoder {
            Some(encoder) => {
                let length = u32::try_from(body.len()).map_err(too_large)?;
                let stored = encoder.encode(body)?;
                let stored_length = u32::try_from(stored.len()).map_err(too_large)?;
                self.out.section(id, COMPRESSED, description, 8 + u64::from(stored_length))?;
                self.out.u32(stored_length)?;
                self.out.u32(length)?;
                self.out.bytes(stored)?;
            }
            None => {
                self.out.section(id, 0, description, body.len() as u64)?;
                self.out.bytes(body)?;
            }
        }
        let mut data = self.out.u64_bytes(offset).to_vec();
        data.extend_from_slice(behind);
        self.option(id, &data)
    }

    /// Adds an option.
    ///
    /// # Errors
    /// It is longer than an option can be.
    pub fn option(&mut self, id: u16, data: &[u8]) -> io::Result<()> {
        let length = u32::try_from(data.len()).map_err(too_large)?;
        self.pending.extend_from_slice(&self.out.u16_bytes(id));
        self.pending.extend_from_slice(&self.out.u32_bytes(length));
        self.pending.extend_from_slice(data);
        Ok(())
    }

    /// Writes the options that were added since the last call, if there are any.
    ///
    /// # Errors
    /// As [`new`](Writer::new).
    pub fn options(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let offset = self.out.position();
        let description = self.describe(option::description(option::DONE));
        // Behind them the last option: its id, its size, and where there are more.
        let size = self.pending.len() as u64 + 14;
        self.out.section(option::DONE, 0, description, size)?;
        self.out.bytes(&self.pending)?;
        self.pending.clear();
        self.out.u16(option::DONE)?;
        self.out.u32(8)?;
        let next = self.out.position();
        self.out.u64(0)?;
        let named = self.out.u64_bytes(offset);
        self.out.again(std::mem::replace(&mut self.next, next), &named)
    }

    /// Begins the pages of a buffer. An empty name is that of the top level. Pages have `page_size` bytes.
    ///
    /// # Errors
    /// As [`new`](Writer::new).
    pub fn buffer(
        &mut self,
        name: &str,
        clock: Option<&str>,
        page_size: u32,
    ) -> io::Result<BufferWriter<'_, W>> {
        let begin = self.out.position();
        let description = self.describe(option::description(option::BUFFER));
        let flags = if self.encoder.is_some() { COMPRESSED } else { 0 };
        self.out.section(option::BUFFER, flags, description, 0)?;
        let mut option = self.out.u64_bytes(begin).to_vec();
        for text in [name, clock.unwrap_or_default()] {
            option.extend_from_slice(text.as_bytes());
            option.push(0);
        }
        option.extend_from_slice(&self.out.u32_bytes(page_size));
        let page_size = page_size.max(1) as usize;
        Ok(BufferWriter {
            writer: self,
            begin,
            option,
            page_size,
            cpus: Vec::new(),
            current: None,
            chunk: Vec::new(),
        })
    }

    /// Ends the file, and returns where it was written to.
    ///
    /// # Errors
    /// As [`new`](Writer::new).
    pub fn finish(mut self) -> io::Result<W> {
        self.options()?;
        // Their section is found by its id, and no option names it.
        let description = self.describe(option::description(option::STRINGS));
        self.out.section(option::STRINGS, 0, description, self.strings.len() as u64)?;
        self.out.bytes(&self.strings)?;
        self.out.finish()
    }

    /// Returns the id of a description.
    fn describe(&mut self, text: &'static str) -> u32 {
        let mut at = 0;
        for known in self.strings.split(|byte| *byte == 0) {
            if known == text.as_bytes() {
                return at;
            }
            at += known.len() as u32 + 1;
        }
        let at = self.strings.len() as u32;
        self.strings.extend_from_slice(text.as_bytes());
        self.strings.push(0);
        at
    }
}

/// The pages of a buffer that are being written, CPU after CPU.
pub struct BufferWriter<'w, W: Write> {
    writer: &'w mut Writer<W>,
    /// The offset of the section.
    begin: u64,
    /// The option up to the number of CPUs.
    option: Vec<u8>,
    page_size: usize,
    /// The number of each CPU, and the offset and size of its pages.
    cpus: Vec<(u32, u64, u64)>,
    current: Option<Current>,
    /// Pages that are compressed together.
    chunk: Vec<u8>,
}

/// The CPU whose pages are being written.
struct Current {
    cpu: u32,
    begin: u64,
    /// The number of chunks.
    chunks: u32,
}

impl<W: Write + Seek> BufferWriter<'_, W> {
    /// Begins the pages of a CPU. One that gets none is listed too.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn cpu(&mut self, cpu: u32) -> io::Result<()> {
        self.end_cpu()?;
        let begin = self.writer.out.align(self.page_size as u64)?;
        self.current = Some(Current { cpu, begin, chunks: 0 });
        Ok(())
    }

    /// Writes a page of the current CPU, or the used part of one.
    ///
    /// # Errors
    /// As [`Writer::new`]; the page is longer than those of the buffer, or belongs to no CPU.
    pub fn page(&mut self, page: &[u8]) -> io::Result<()> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why);
        let padding = self.page_size.checked_sub(page.len()).ok_or_else(|| invalid("a page is too long"))?;
        if self.current.is_none() {
            return Err(invalid("a page belongs to no CPU"));
        }
        if self.writer.encoder.is_none() {
            self.writer.out.bytes(page)?;
            return self.writer.out.zeros(padding);
        }
        self.chunk.extend_from_slice(page);
        self.chunk.resize(self.chunk.len() + padding, 0);
        if self.chunk.len() >= CHUNK_PAGES * self.page_size { self.end_chunk() } else { Ok(()) }
    }

    /// Ends the buffer.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn finish(mut self) -> io::Result<()> {
        self.end_cpu()?;
        let Writer { out, .. } = &mut *self.writer;
        let size = out.position() - self.begin - Output::<W>::SECTION;
        let size = out.u64_bytes(size);
        // The size is the last number of the head.
        out.again(self.begin + Output::<W>::SECTION - 8, &size)?;
        let count = u32::try_from(self.cpus.len()).map_err(too_large)?;
        self.option.extend_from_slice(&out.u32_bytes(count));
        for (cpu, offset, size) in self.cpus {
            self.option.extend_from_slice(&out.u32_bytes(cpu));
            self.option.extend_from_slice(&out.u64_bytes(offset));
            self.option.extend_from_slice(&out.u64_bytes(size));
        }
        self.writer.option(option::BUFFER, &self.option)
    }

    fn end_cpu(&mut self) -> io::Result<()> {
        self.end_chunk()?;
        let Some(Current { cpu, begin, chunks }) = self.current.take() else { return Ok(()) };
        let out = &mut self.writer.out;
        if chunks > 0 {
            let count = out.u32_bytes(chunks);
            out.again(begin, &count)?;
        }
        self.cpus.push((cpu, begin, out.position() - begin));
        Ok(())
    }

    /// Writes the pages that are compressed together.
    fn end_chunk(&mut self) -> io::Result<()> {
        let Writer { out, encoder: Some(encoder), .. } = &mut *self.writer else { return Ok(()) };
        let Some(current) = self.current.as_mut().filter(|_| !self.chunk.is_empty()) else { return Ok(()) };
        if current.chunks == 0 {
            // The number of chunks, which is known at the end.
            out.u32(0)?;
        }
        current.chunks += 1;
        let stored = encoder.encode(&self.chunk)?;
        out.u32(u32::try_from(stored.len()).map_err(too_large)?)?;
        out.u32(u32::try_from(self.chunk.len()).map_err(too_large)?)?;
        out.bytes(stored)?;
        self.chunk.clear();
        Ok(())
    }
}

/// Returns the error for what has more bytes than its size can say.
pub(super) fn too_large(_: std::num::TryFromIntError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "a part has more than 4 GiB")
}
