//! A reader of a file that checks every length.

use std::fs::File;
use std::io::{self, BufReader, Cursor, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::TraceDatError;
use super::places::Places;
use crate::record::late::Late;

/// The longest accepted name in bytes. Names in a trace.dat are short.
const LONGEST_NAME: usize = 4096;

#[derive(Debug)]
pub(super) struct Input<R> {
    source: BufReader<R>,
    position: u64,
    length: u64,
    big_endian: bool,
    /// What errors name: an offset to add, or the offset of all of it.
    place: Place,
    /// The file, for what is read later.
    file: Option<File>,
    /// The bytes of pages that were read of the file, by all readers of it.
    pages: Arc<AtomicU64>,
    /// Where the pages are, if they may move while they are read.
    places: Option<Places>,
}

/// How much of the pages of a recording was read, for a line of progress.
#[derive(Clone, Debug)]
pub struct PagesRead {
    pub(super) read: Arc<AtomicU64>,
    pub(super) all: u64,
}

impl PagesRead {
    /// Returns the bytes that were read so far. A part that is read twice counts twice.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Returns the bytes that all pages have in the file.
    pub fn all(&self) -> u64 {
        self.all
    }
}

/// Where the first byte is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// At an offset.
    From(u64),
    /// Nowhere: it was compressed, and that begins at an offset.
    Within(u64),
}

/// A file that several threads read, each from a position of its own.
#[derive(Debug)]
pub(crate) struct SharedFile<'f> {
    file: &'f File,
    position: u64,
}

impl Read for SharedFile<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(bytes, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for SharedFile<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
            SeekFrom::End(by) => self.file.metadata()?.len().checked_add_signed(by),
        };
        self.position = position.ok_or(ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl Input<File> {
    /// Returns another reader of the same file, whose position is of no account: it is for [`shared`](Input::shared).
    pub(super) fn beside(&self) -> io::Result<Self> {
        let source = BufReader::with_capacity(0, self.source.get_ref().try_clone()?);
        let Input { position, length, big_endian, place, .. } = *self;
        let (pages, places) = (Arc::clone(&self.pages), self.places.clone());
        Ok(Input { source, position, length, big_endian, place, file: None, pages, places })
    }

    /// Returns another reader of the same file. It holds nothing: it is for pieces that are large.
    pub(super) fn shared(&self) -> Input<SharedFile<'_>> {
        let source = SharedFile { file: self.source.get_ref(), position: 0 };
        let Input { length, big_endian, place, .. } = *self;
        let source = BufReader::with_capacity(0, source);
        let (pages, places) = (Arc::clone(&self.pages), self.places.clone());
        Input { source, position: 0, length, big_endian, place, file: None, pages, places }
    }

    /// Lets [`late`](Input::late) leave bytes in the file.
    pub(super) fn keep_file(&mut self) -> io::Result<()> {
        self.file = Some(self.source.get_ref().try_clone()?);
        Ok(())
    }
}

impl Input<Cursor<Vec<u8>>> {
    /// Reads exactly `length` bytes as [`bytes`](Input::bytes), and ends. They are not copied to other memory: the symbols
    /// of a kernel are megabytes.
    pub(super) fn into_bytes(self, length: u64, what: &'static str) -> Result<Vec<u8>, TraceDatError> {
        self.expect_length(length, what)?;
        let from = self.position as usize;
        let mut bytes = self.source.into_inner().into_inner();
        bytes.truncate(from + length as usize);
        bytes.drain(..from);
        Ok(bytes)
    }
}

impl<R: Read + Seek> Input<R> {
    pub(super) fn new(mut source: R) -> Result<Self, TraceDatError> {
        let length = source.seek(SeekFrom::End(0)).map_err(|error| match error.kind() {
            ErrorKind::NotSeekable => TraceDatError::Pipe,
            _ => error.into(),
        })?;
        source.rewind()?;
        Ok(Input {
            source: BufReader::new(source),
            position: 0,
            length,
            big_endian: false,
            place: Place::From(0),
            file: None,
            pages: Arc::default(),
            places: None,
        })
    }

    /// Returns what reads a part of it that is in memory.
    pub(super) fn part(&self, bytes: Vec<u8>, place: Place) -> Input<Cursor<Vec<u8>>> {
        let (length, big_endian) = (bytes.len() as u64, self.big_endian);
        let source = BufReader::new(Cursor::new(bytes));
        let pages = Arc::default();
        Input { source, position: 0, length, big_endian, place, file: None, pages, places: None }
    }

    /// Places its begin in the file.
    pub(super) fn at(self, place: Place) -> Self {
        Input { place, ..self }
    }

    /// Returns whether [`late`](Input::late) leaves bytes in the file.
    pub(super) fn leaves_bytes(&self) -> bool {
        self.file.is_some()
    }

    pub(super) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Returns the offset in the file that errors name.
    fn offset(&self) -> u64 {
        match self.place {
            Place::From(begin) => begin.saturating_add(self.position),
            Place::Within(begin) => begin,
        }
    }

    pub(super) fn set_big_endian(&mut self, big_endian: bool) {
        self.big_endian = big_endian;
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    pub(super) fn seek(&mut self, position: u64) -> Result<(), TraceDatError> {
        self.source.seek(SeekFrom::Start(position))?;
        self.position = position;
        Ok(())
    }

    /// Lets the pages be looked for where they are when they are read.
    pub(super) fn set_places(&mut self, places: Places) {
        self.places = Some(places);
    }

    pub(super) fn places(&self) -> Option<&Places> {
        self.places.as_ref()
    }

    /// Takes what [`set_places`](Input::set_places) has set.
    pub(super) fn take_places(&mut self) -> Option<Places> {
        self.places.take()
    }

    /// Takes note of the length that the file has now.
    pub(super) fn measure(&mut self) -> Result<(), TraceDatError> {
        self.length = self.source.seek(SeekFrom::End(0))?;
        self.seek(self.position)
    }

    /// Returns how many bytes the file has behind those of a CPU's pages at an offset of when it was opened.
    pub(super) fn length_from(&self, of: (u32, u64)) -> u64 {
        let place = self.places.as_ref().map_or(of.1, |places| places.place(of));
        self.length.saturating_sub(place)
    }

    /// Returns the length of the file.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns an error if `length` bytes are not there.
    pub(super) fn expect_length(&self, length: u64, what: &'static str) -> Result<(), TraceDatError> {
        let is_there = length <= self.length.saturating_sub(self.position);
        if is_there { Ok(()) } else { Err(TraceDatError::Truncated { what, offset: self.offset() }) }
    }

    /// Reads as many bytes as `bytes` holds.
    pub(super) fn fill(&mut self, bytes: &mut [u8], what: &'static str) -> Result<(), TraceDatError> {
        let offset = self.offset();
        self.expect_length(bytes.len() as u64, what)?;
        match self.source.read_exact(bytes) {
            Ok(()) => {
                self.position += bytes.len() as u64;
                Ok(())
            }
            // The file may shrink while it is read.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                Err(TraceDatError::Truncated { what, offset })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Counts bytes of pages as [read](Input::pages_read).
    pub(super) fn count_pages(&self, bytes: &[u8]) {
        self.pages.fetch_add(bytes.len() as u64, Ordering::Relaxed);
    }

    /// Reads a chunk of pages that are compressed. Its bytes count as [read](Input::pages_read).
    pub(super) fn fill_chunk(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), TraceDatError> {
        self.seek(offset)?;
        self.fill(bytes, "a chunk of pages")?;
        self.count_pages(bytes);
        Ok(())
    }

    /// Returns the count of the bytes of pages that are read of this file, also by other readers of it.
    pub(super) fn pages_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.pages)
    }

    /// Reads exactly `length` bytes. No memory is reserved for a length that the file does not have.
    pub(super) fn bytes(&mut self, length: u64, what: &'static str) -> Result<Vec<u8>, TraceDatError> {
        let mut bytes = Vec::new();
        self.refill(&mut bytes, length, what)?;
        Ok(bytes)
    }

    /// Reads exactly `length` bytes in place of those that a buffer holds.
    pub(super) fn refill(
        &mut self,
        bytes: &mut Vec<u8>,
        length: u64,
        what: &'static str,
    ) -> Result<(), TraceDatError> {
        self.expect_length(length, what)?;
        bytes.resize(length as usize, 0);
        self.fill(bytes, what)
    }

    /// Skips exactly `length` bytes, to be read and decoded later where that is possible.
    pub(super) fn late(
        &mut self,
        length: u64,
        what: &'static str,
        decode: impl Fn(Vec<u8>) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Result<Late, TraceDatError> {
        let Some(file) = &self.file else { return Ok(decode(self.bytes(length, what)?)?.into()) };
        let late = Late::of_file(file.try_clone()?, (self.position, length), decode);
        self.skip(length, what)?;
        Ok(late)
    }

    /// Skips `length` bytes.
    pub(super) fn skip(&mut self, length: u64, what: &'static str) -> Result<(), TraceDatError> {
        self.expect_length(length, what)?;
        self.source.seek_relative(length as i64)?;
        self.position += length;
        Ok(())
    }

    /// Reads the bytes of a number, and returns them with the lowest first.
    fn number<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], TraceDatError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes, what)?;
        if self.big_endian {
            bytes.reverse();
        }
        Ok(bytes)
    }

    pub(super) fn u8(&mut self, what: &'static str) -> Result<u8, TraceDatError> {
        self.number(what).map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self, what: &'static str) -> Result<u16, TraceDatError> {
        self.number(what).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self, what: &'static str) -> Result<u32, TraceDatError> {
        self.number(what).map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self, what: &'static str) -> Result<u64, TraceDatError> {
        self.number(what).map(u64::from_le_bytes)
    }

    /// Reads bytes up to a NUL, and the NUL.
    pub(super) fn name(&mut self, what: &'static str) -> Result<String, TraceDatError> {
        let offset = self.offset();
        let mut bytes = Vec::new();
        loop {
            match self.u8(what) {
                Ok(0) => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
                Ok(_) if bytes.len() == LONGEST_NAME => {
                    return Err(TraceDatError::Unexpected { what, offset });
                }
                Ok(byte) => bytes.push(byte),
                Err(TraceDatError::Truncated { .. }) => {
                    return Err(TraceDatError::Truncated { what, offset });
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads bytes and returns an error if they are not `bytes`.
    pub(super) fn expect(&mut self, bytes: &[u8], what: &'static str) -> Result<(), TraceDatError> {
        let offset = self.offset();
        let found = self.bytes(bytes.len() as u64, what)?;
        if found == bytes { Ok(()) } else { Err(TraceDatError::Unexpected { what, offset }) }
    }
}
