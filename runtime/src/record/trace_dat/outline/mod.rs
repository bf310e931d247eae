//! What a file consists of and where it is: for listings, and to write the same in another form.

mod v6;
mod v7;

use std::io::{Read, Seek};

use rustc_hash::FxHashMap;

use super::input::Input;
use super::section::HEAD;
use super::{Buffer, Compression, CpuData, TraceDat, TraceDatError, compression};

/// The largest accepted number of options. A file has one for each CPU of each buffer, and some dozens.
const MOST_OPTIONS: usize = 1 << 18;

/// How many times a file is read that changes meanwhile.
const ATTEMPTS: u32 = 3;

/// A version of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// Parts in a fixed order, without compression.
    Six,
    /// Sections in any order.
    Seven,
}

impl Version {
    /// Returns its number.
    pub fn number(self) -> u8 {
        match self {
            Version::Six => 6,
            Version::Seven => 7,
        }
    }
}

/// What a file consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its version.
    pub version: Version,
    /// Whether its numbers begin with the highest byte.
    pub big_endian: bool,
    /// The size of a `long` of the traced user space, bytes.
    pub long_size: u8,
    /// The size of a page of the machine, bytes.
    pub page_size: u32,
    /// How its compressed parts are compressed.
    pub compression: Compression,
    /// The version of the program that compressed it, as written; empty if nothing is compressed.
    pub compression_version: String,
    /// Its parts apart from the pages, in the order in which they are named. Their ids are those of [`option`](super::option).
    pub parts: Vec<Part>,
    /// Its options in their order, those that name a part or a buffer among them.
    pub options: Vec<FileOption>,
    /// Its buffers in the order of the options, with all CPUs that they list: also those without pages.
    pub buffers: Vec<Buffer>,
    /// The size of the file, bytes.
    pub size: u64,
}

/// A part of a file: a section, or of version 6 what would be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its id.
    pub id: u16,
    /// The offset of its first byte; of a section that of its head.
    pub offset: u64,
    /// The number of bytes that it has in the file, with its head.
    pub size: u64,
    /// Whether it is compressed.
    pub is_compressed: bool,
    /// The number of bytes that it has without its head and uncompressed.
    pub length: u64,
}

/// An option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileOption {
    /// Its id, one of [`option`](super::option).
    pub id: u16,
    /// The offset of its data, or of the section that has it if that is compressed.
    pub offset: u64,
    /// Its data.
    pub data: Vec<u8>,
}

impl Outline {
    /// Returns the first part of an id.
    pub fn part(&self, id: u16) -> Option<&Part> {
        self.parts.iter().find(|part| part.id == id)
    }

    /// Returns the data of the first option of an id.
    pub fn option(&self, id: u16) -> Option<&[u8]> {
        self.options.iter().find(|option| option.id == id).map(|option| &*option.data)
    }

    /// Returns the number that the data of an option begins with, in eight bytes.
    pub(super) fn number_in(&self, data: &[u8]) -> Option<u64> {
        let bytes = *data.first_chunk()?;
        Some(if self.big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    }

    /// Returns whether an option names one of the parts.
    pub(super) fn names_part(&self, option: &FileOption) -> bool {
        let at = self.number_in(&option.data);
        self.version == Version::Seven
            && self.parts.iter().any(|part| part.id == option.id && Some(part.offset) == at)
    }
}

impl<R: Read + Seek> TraceDat<R> {
    /// Returns what the file consists of.
    ///
    /// # Errors
    /// [`TraceDatError`], where a part that reports do not need is damaged, or the file has changed.
    pub fn outline(&mut self) -> Result<Outline, TraceDatError> {
        let mut attempts = if self.input.places().is_some() { ATTEMPTS } else { 1 };
        loop {
            attempts -= 1;
            match self.read_outline() {
                // The file was completed meanwhile.
                Err(_) if attempts > 0 => {}
                read => return read,
            }
        }
    }

    fn read_outline(&mut self) -> Result<Outline, TraceDatError> {
        let input = &mut self.input;
        if input.places().is_some() {
            input.measure()?;
        }
        input.seek(0)?;
        input.expect(b"\x17\x08\x44tracing", "the magic number")?;
        let version = match input.name("the version")?.as_str() {
            "6" => Version::Six,
            _ => Version::Seven,
        };
        input.u8("the byte order")?;
        let mut outline = Outline {
            version,
            big_endian: input.is_big_endian(),
            long_size: input.u8("the size of a long")?,
            page_size: input.u32("the page size")?,
            compression: self.compression,
            compression_version: String::new(),
            parts: Vec::new(),
            options: Vec::new(),
            buffers: Vec::new(),
            size: input.length(),
        };
        match version {
            Version::Six => v6::walk(input, &mut outline, self.layout.size)?,
            Version::Seven => v7::walk(input, &mut outline, self.is_broken)?,
        }
        if self.is_broken {
            // Those that were found without an option.
            let begins = |buffer: &Buffer| buffer.cpus.iter().map(|data| data.offset).collect::<Vec<_>>();
            let named: Vec<Vec<u64>> = outline.buffers.iter().map(begins).collect();
            let is_named = |buffer: &Buffer| {
                begins(buffer).iter().all(|begin| named.iter().any(|named| named.contains(begin)))
            };
            outline.buffers.extend(self.buffers.iter().filter(|buffer| !is_named(buffer)).cloned());
        }
        if let Some(places) = self.input.places() {
            outline.buffers.iter_mut().for_each(|buffer| places.name(&mut buffer.cpus));
        }
        let compression = self.compression;
        // The reader has found the chunks. No pages belong to two CPUs.
        let known = self.buffers.iter().flat_map(|buffer| &buffer.cpus);
        let known: FxHashMap<u64, &CpuData> = known.map(|data| (data.offset, data)).collect();
        for data in outline.buffers.iter_mut().flat_map(|buffer| &mut buffer.cpus) {
            match known.get(&data.offset) {
                Some(known) if data.size > 0 => data.chunks.clone_from(&known.chunks),
                Some(_) => {}
                // It has found none that are compressed; others may be new.
                None if compression != Compression::None => data.size = 0,
                None => {}
            }
        }
        Ok(outline)
    }

    /// Returns the bytes of a part without its head, uncompressed.
    ///
    /// # Errors
    /// [`TraceDatError`].
    pub fn part(&mut self, part: &Part, version: Version) -> Result<Vec<u8>, TraceDatError> {
        let what = "a part";
        let head = if version == Version::Seven { HEAD } else { 0 };
        self.input.seek(part.offset + head)?;
        match part.is_compressed {
            true => compression::section(&mut self.input, self.compression, what),
            false => self.input.bytes(part.size - head, what),
        }
    }
}

impl Outline {
    /// Adds an option.
    fn add(&mut self, option: FileOption) -> Result<(), TraceDatError> {
        if self.options.len() == MOST_OPTIONS {
            return Err(TraceDatError::Unexpected { what: "a number of options", offset: option.offset });
        }
        self.options.push(option);
        Ok(())
    }
}

/// Reads numbers and texts from the data of an option.
fn data_of<R: Read + Seek>(input: &Input<R>, option: &FileOption) -> Input<std::io::Cursor<Vec<u8>>> {
    input.part(option.data.clone(), super::input::Place::From(option.offset))
}
