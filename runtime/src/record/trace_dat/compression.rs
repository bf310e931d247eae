//! Compressed parts of a file: a chunk is the size of the stored bytes, that of what they become, and the stored bytes.
//! trace-cmd writes zstd and zlib (lib/trace-cmd/trace-compress.c).

use std::io::{Read, Seek};

use zstd::zstd_safe::DCtx;

use super::TraceDatError;
use super::input::Input;

/// The largest accepted size of what a chunk becomes: trace-cmd makes chunks of ten pages, which have at most 512 KiB each
/// (`ring_buffer_subbuf_order_set` in kernel/trace/ring_buffer.c).
const LARGEST_CHUNK: u32 = 16 << 20;

/// The largest accepted size of a section: kallsyms has some 10 MB.
const LARGEST_SECTION: u32 = 256 << 20;

/// How the compressed parts of a file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// zlib
    Zlib,
    /// zstd
    Zstd,
}

impl Compression {
    /// Every compression.
    pub const ALL: [Compression; 3] = [Compression::None, Compression::Zlib, Compression::Zstd];

    /// Returns its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Compression::None => "none",
            Compression::Zlib => "zlib",
            Compression::Zstd => "zstd",
        }
    }

    /// Returns the compression of a name in files.
    pub fn find(name: &str) -> Option<Compression> {
        Self::ALL.into_iter().find(|compression| compression.name() == name)
    }

    /// Appends what stored bytes become to `to`, and returns whether they are so many bytes. No more memory is taken than
    /// they have, whatever `length` says.
    pub(super) fn decompress(self, stored: &[u8], length: u32, to: &mut Vec<u8>) -> std::io::Result<bool> {
        let before = to.len();
        // One more, to see that there is more.
        let most = u64::from(length) + 1;
        match self {
            Compression::None => to.extend_from_slice(stored),
            Compression::Zlib => {
                flate2::read::ZlibDecoder::new(stored).take(most).read_to_end(to)?;
            }
            Compression::Zstd => {
                zstd::stream::read::Decoder::with_buffer(stored)?
                    .single_frame()
                    .take(most)
                    .read_to_end(to)?;
            }
        }
        Ok(to.len() - before == length as usize)
    }
}

/// What decompresses many chunks. It keeps the tables of zstd, whose size is that of a chunk.
#[derive(Default)]
pub(super) struct Decompressor {
    zstd: Option<DCtx<'static>>,
}

impl Decompressor {
    /// Replaces `to` by what stored bytes become, and returns whether they are so many bytes. Memory is reserved for so many,
    /// and only used for what there is.
    pub(super) fn decompress(
        &mut self,
        compression: Compression,
        stored: &[u8],
        length: u32,
        to: &mut Vec<u8>,
    ) -> std::io::Result<bool> {
        to.clear();
        if compression != Compression::Zstd {
            return compression.decompress(stored, length, to);
        }
        to.try_reserve(length as usize).map_err(std::io::Error::other)?;
        let zstd = self.zstd.get_or_insert_with(DCtx::create);
        match zstd.decompress(to, stored) {
            Ok(written) => Ok(written == length as usize),
            Err(code) => Err(std::io::Error::other(zstd::zstd_safe::get_error_name(code))),
        }
    }
}

/// Returns the number of bytes that a compressed section has in the file, with the sizes in front.
pub(super) fn stored_size<R: Read + Seek>(
    input: &mut Input<R>,
    what: &'static str,
) -> Result<u64, TraceDatError> {
    Ok(u64::from(input.u32(what)?) + 8)
}

/// Reads a compressed section: one chunk.
pub(super) fn section<R: Read + Seek>(
    input: &mut Input<R>,
    compression: Compression,
    what: &'static str,
) -> Result<Vec<u8>, TraceDatError> {
    let offset = input.position();
    let stored = input.u32(what)?;
    let length = input.u32(what)?;
    if length > LARGEST_SECTION {
        return Err(TraceDatError::TooLarge { what, offset, bytes: length.into() });
    }
    let stored = input.bytes(stored.into(), what)?;
    let mut bytes = Vec::new();
    complete(compression.decompress(&stored, length, &mut bytes), what, offset)?;
    Ok(bytes)
}

/// Returns an error unless a part at an offset was decompressed, and has its size.
pub(super) fn complete(
    decompressed: std::io::Result<bool>,
    what: &'static str,
    offset: u64,
) -> Result<(), TraceDatError> {
    let reason = match decompressed {
        Ok(true) => return Ok(()),
        Ok(false) => "it has another size".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(TraceDatError::Compressed { what, offset, reason })
}

/// A chunk of the pages of a CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// The offset of its first byte among the pages of the CPU.
    pub(super) at: u64,
    /// The number of bytes that it becomes.
    pub(super) length: u32,
    /// The offset of the stored bytes in the file.
    pub(super) offset: u64,
    /// The number of stored bytes.
    pub(super) stored: u32,
}

impl Chunk {
    /// Returns the offset behind it among the pages of the CPU.
    pub(super) fn end(&self) -> u64 {
        self.at.saturating_add(self.length.into())
    }

    /// Returns the offset behind what is stored of it in the file.
    pub(super) fn behind(&self) -> u64 {
        self.offset.saturating_add(self.stored.into())
    }
}

/// Reads what a section of `size` bytes has in chunks, one behind the other.
pub(super) fn in_chunks<R: Read + Seek>(
    input: &mut Input<R>,
    compression: Compression,
    size: u64,
    what: &'static str,
) -> Result<Vec<u8>, TraceDatError> {
    let offset = input.position();
    let (chunks, damage) = chunks(input, size);
    damage.map_or(Ok(()), Err)?;
    let length: u64 = chunks.iter().map(|chunk| u64::from(chunk.length)).sum();
    if length > LARGEST_SECTION.into() {
        return Err(TraceDatError::TooLarge { what, offset, bytes: length });
    }
    let mut bytes = Vec::new();
    for Chunk { offset, stored, length, .. } in chunks {
        input.seek(offset)?;
        let stored = input.bytes(stored.into(), what)?;
        complete(compression.decompress(&stored, length, &mut bytes), what, offset)?;
    }
    Ok(bytes)
}

/// Reads where the chunks of a CPU's pages are, which begin at the position. `size` is what the file says of them: their
/// bytes with the sizes before each, and in some files also the number of chunks before them.
///
/// Also returns the damage behind which there may be more.
pub(super) fn chunks<R: Read + Seek>(input: &mut Input<R>, size: u64) -> (Vec<Chunk>, Option<TraceDatError>) {
    let mut chunks = Vec::new();
    let damage = read_chunks(input, size, &mut chunks).err();
    (chunks, damage)
}

fn read_chunks<R: Read + Seek>(
    input: &mut Input<R>,
    size: u64,
    chunks: &mut Vec<Chunk>,
) -> Result<(), TraceDatError> {
    let what = "a chunk of pages";
    let count = input.u32(what)?;
    let end = input.position().saturating_add(size);
    let mut at = 0_u64;
    for _ in 0..count {
        let begin = input.position();
        let (stored, length) = (input.u32(what)?, input.u32(what)?);
        let offset = input.position();
        if length > LARGEST_CHUNK {
            return Err(TraceDatError::TooLarge { what, offset: begin, bytes: length.into() });
        }
        if offset.saturating_add(stored.into()) > end {
            return Err(TraceDatError::Truncated { what, offset: begin });
        }
        input.skip(stored.into(), what)?;
        chunks.push(Chunk { at, length, offset, stored });
        at += u64::from(length);
    }
    Ok(())
}
