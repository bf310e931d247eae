//! Ring-buffer pages, as `trace_pipe_raw` and trace.dat hold them.
//!
//! A page is a header (a time stamp and a commit word), then entries up to the committed length. Each entry begins with
//! four bytes of type and time delta (include/linux/ring_buffer.h, kernel/trace/ring_buffer.c). A page is not trusted:
//! a length that leads outside it is an error, and every step of the walk goes forward.

mod build;
mod write;

use std::ops::Range;

use crate::bytes::ByteOrder;
use crate::format::{FormatError, parse_field};
use crate::grouped::Grouped;

pub use build::PageBuilder;
pub use write::PageWriter;

/// Low bits of the commit word that hold the committed length (`COMMIT_MASK`, libtraceevent kbuffer-parse.c).
const COMMIT_LENGTH: u64 = (1 << 27) - 1;
/// The largest page: `ring_buffer_subbuf_order_set` refuses what the write counter cannot hold (`RB_WRITE_MASK`,
/// kernel/trace/ring_buffer.c).
const LARGEST: u32 = 1 << 20;
/// `RB_MISSED_EVENTS`: records were lost before this page.
const LOST: u64 = 1 << 31;
/// `RB_MISSED_STORED`: the number of lost records follows the data.
const LOST_STORED: u64 = 1 << 30;
/// Clears in the bytes of a page that records were lost before it. Bytes that are not a page are not changed.
pub fn forget_losses(layout: &PageLayout, bytes: &mut [u8]) {
    change_commit(layout, bytes, |byte, flags| byte & !flags, LOST | LOST_STORED);
}

/// Sets in the bytes of a page that records were lost before it, whose number is not known. Bytes that are not a page are not
/// changed.
pub fn note_losses(layout: &PageLayout, bytes: &mut [u8]) {
    forget_losses(layout, bytes);
    change_commit(layout, bytes, |byte, flags| byte | flags, LOST);
}

fn change_commit(layout: &PageLayout, bytes: &mut [u8], change: fn(u8, u8) -> u8, flags: u64) {
    let start = layout.commit_offset as usize;
    let Some(word) = bytes.get_mut(start..start + layout.commit_size as usize) else { return };
    if !layout.little_endian {
        word.reverse();
    }
    word.iter_mut().zip(flags.to_le_bytes()).for_each(|(byte, flags)| *byte = change(*byte, flags));
    if !layout.little_endian {
        word.reverse();
    }
}

/// `TS_MSB`: the bits of a time stamp that an absolute entry cannot hold and the page's own stamp supplies.
const TIMESTAMP_TOP: u64 = 0xf8 << 56;

/// The offsets of the parts of a page, as `events/header_page` has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageLayout {
    /// Offset of the time stamp of the page, bytes.
    pub timestamp_offset: u32,
    /// Size of the time stamp, bytes: 8.
    pub timestamp_size: u32,
    /// Offset of the commit word, bytes.
    pub commit_offset: u32,
    /// Size of the commit word, bytes: a `long` of the kernel, 4 or 8.
    pub commit_size: u32,
    /// Offset of the first entry, bytes.
    pub data_offset: u32,
    /// Size of a whole page (a sub-buffer), bytes.
    pub size: u32,
    /// Byte order of the kernel that wrote it.
    pub little_endian: bool,
}

/// The layout of a 64-bit kernel with pages of 4 KiB.
impl Default for PageLayout {
    fn default() -> Self {
        PageLayout {
            timestamp_offset: 0,
            timestamp_size: 8,
            commit_offset: 8,
            commit_size: 8,
            data_offset: 16,
            size: 4096,
            little_endian: cfg!(target_endian = "little"),
        }
    }
}

impl PageLayout {
    /// Reads the text of `events/header_page` (`ring_buffer_print_page_header`).
    ///
    /// The file does not hold the byte order; that of this machine is assumed. A reader of recordings sets
    /// [`little_endian`](Self::little_endian) from the recording's head.
    ///
    /// # Errors
    /// [`FormatError`] if a field is missing or the fields cannot be those of a page.
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        let mut timestamp = None;
        let mut commit = None;
        let mut data = None;
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let field = parse_field(line, number + 1)?;
            match field.name.as_str() {
                "timestamp" => timestamp = Some(field),
                "commit" => commit = Some(field),
                "data" => data = Some(field),
                // `overwrite` mirrors the flag bits of the commit word.
                _ => {}
            }
        }
        let last = text.lines().count();
        let missing = |name| FormatError::new(last, format!("the page header has no field `{name}`"));
        let timestamp = timestamp.ok_or_else(|| missing("timestamp"))?;
        let commit = commit.ok_or_else(|| missing("commit"))?;
        let data = data.ok_or_else(|| missing("data"))?;
        let layout = PageLayout {
            timestamp_offset: timestamp.offset,
            timestamp_size: timestamp.size,
            commit_offset: commit.offset,
            commit_size: commit.size,
            data_offset: data.offset,
            size: data.offset.saturating_add(data.size),
            little_endian: cfg!(target_endian = "little"),
        };
        layout.check().map_err(|reason| FormatError::new(last, reason.to_owned()))?;
        Ok(layout)
    }

    fn check(&self) -> Result<(), &'static str> {
        let inside = |offset: u32, size: u32| {
            offset.checked_add(size).is_some_and(|end| end <= self.data_offset && end <= self.size)
        };
        if self.timestamp_size != 8 || !inside(self.timestamp_offset, self.timestamp_size) {
            return Err("the time stamp is not 8 bytes in front of the data");
        }
        if !matches!(self.commit_size, 4 | 8) || !inside(self.commit_offset, self.commit_size) {
            return Err("the commit word is not 4 or 8 bytes in front of the data");
        }
        if self.size <= self.data_offset || self.size > LARGEST {
            return Err("the size of the data is out of bounds");
        }
        Ok(())
    }

    fn order(&self) -> ByteOrder {
        ByteOrder::little_if(self.little_endian)
    }
}

/// The reason why a page cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    /// The bytes end before the page's header does.
    #[error("the page ends after {} bytes, before its data begins", Grouped(len))]
    Header {
        /// The number of bytes.
        len: usize,
    },
    /// The layout itself is impossible; [`PageLayout::parse`] never returns such a layout.
    #[error("the page layout is impossible: {reason}")]
    Layout {
        /// The reason.
        reason: &'static str,
    },
    /// The committed length exceeds the page.
    #[error("the page commits {} bytes of data and holds {}", Grouped(committed), Grouped(available))]
    Committed {
        /// The committed length, bytes.
        committed: usize,
        /// The number of bytes of data in the page.
        available: usize,
    },
    /// The page says that it stores the number of lost records, and has no room for it.
    #[error("the page announces a count of lost records and has no room for it")]
    LostCount,
    /// An entry reaches past the committed data.
    #[error("the entry at byte {offset} of the data reaches past its end")]
    Entry {
        /// Offset of the entry in the page's data, bytes.
        offset: usize,
    },
    /// The length of an entry is less than that of the word that holds it.
    #[error("the entry at byte {offset} of the data has the impossible length {length}")]
    Length {
        /// Offset of the entry in the page's data, bytes.
        offset: usize,
        /// The impossible length, bytes.
        length: u32,
    },
    /// The page is in another byte order than a [filter](crate::selection::PageFilter) of its records.
    #[error("the page is in another byte order than the records that are selected")]
    ByteOrder,
}

impl PageError {
    /// Returns the error of a walk that began behind `skipped` bytes of the data.
    #[must_use]
    pub fn behind(self, skipped: usize) -> Self {
        match self {
            PageError::Entry { offset } => PageError::Entry { offset: skipped + offset },
            PageError::Length { offset, length } => PageError::Length { offset: skipped + offset, length },
            other => other,
        }
    }
}

/// The number of records that were lost before a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// None.
    None,
    /// Some; the page had no room for their number.
    Unknown,
    /// This many.
    Count(u64),
}

/// The header of a page, for a reader that does not hold the whole page at once.
#[derive(Clone, Copy, Debug)]
pub struct PageHead {
    timestamp: u64,
    /// The offset of the data.
    data: usize,
    committed: usize,
    /// The length of the page, bytes.
    length: usize,
    has_lost: bool,
    stores_lost: bool,
    commit_size: usize,
    order: ByteOrder,
}

impl PageHead {
    /// Reads the header of a page of `length` bytes, which `bytes` begins with.
    ///
    /// # Errors
    /// [`PageError`] if the header is cut off or its lengths exceed the page.
    pub fn new(layout: &PageLayout, bytes: &[u8], length: usize) -> Result<Self, PageError> {
        layout.check().map_err(|reason| PageError::Layout { reason })?;
        let order = layout.order();
        let short = PageError::Header { len: bytes.len().min(length) };
        let timestamp = order.u64(bytes, layout.timestamp_offset as usize).ok_or(short)?;
        let commit_size = layout.commit_size as usize;
        let commit = order.uint(bytes, layout.commit_offset as usize, commit_size).ok_or(short)?;
        let (data, length) = (layout.data_offset as usize, length.min(layout.size as usize));
        let available = length.checked_sub(data).ok_or(short)?;
        let committed = (commit & COMMIT_LENGTH) as usize;
        if committed > available {
            return Err(PageError::Committed { committed, available });
        }
        let (has_lost, stores_lost) = (commit & LOST != 0, commit & LOST_STORED != 0);
        Ok(PageHead { timestamp, data, committed, length, has_lost, stores_lost, commit_size, order })
    }

    /// Returns the offsets of the entries in the page.
    pub fn entries(&self) -> Range<usize> {
        self.data..self.data + self.committed
    }

    /// Returns whether records were lost before the page.
    pub fn has_lost(&self) -> bool {
        self.has_lost
    }

    /// Returns the number of bytes behind the entries that [`lost`](PageHead::lost) needs.
    pub fn lost_size(&self) -> usize {
        let size = if self.has_lost && self.stores_lost { self.commit_size } else { 0 };
        size.min(self.length - self.entries().end)
    }

    /// Returns how many records were lost before the page; `behind` is what follows the entries.
    ///
    /// # Errors
    /// [`PageError::LostCount`] if the number is not there.
    pub fn lost(&self, behind: &[u8]) -> Result<Lost, PageError> {
        match (self.has_lost, self.stores_lost) {
            (false, _) => Ok(Lost::None),
            (true, false) => Ok(Lost::Unknown),
            (true, true) => {
                self.order.uint(behind, 0, self.commit_size).map(Lost::Count).ok_or(PageError::LostCount)
            }
        }
    }

    /// Returns the time from which the first entry's delta counts.
    pub fn timestamp(&self) -> u64 {
        self.timestamp
    }

    /// Walks over a part of the entries, which begins with a whole one. `timestamp` is the time before it. What is behind
    /// as many bytes as the page commits is not a part of them.
    pub fn part<'a>(&self, data: &'a [u8], timestamp: u64) -> Entries<'a> {
        Entries::of(data.get(..self.committed).unwrap_or(data), self.order, timestamp)
    }
}

/// One page of one CPU's ring.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    timestamp: u64,
    lost: Lost,
    data: &'a [u8],
    used: usize,
    order: ByteOrder,
}

impl<'a> Page<'a> {
    /// Reads a page's header.
    ///
    /// `bytes` may be shorter than a whole page as long as the committed data is there.
    ///
    /// # Errors
    /// [`PageError`] if the header is cut off or its lengths exceed `bytes`.
    pub fn new(layout: &PageLayout, bytes: &'a [u8]) -> Result<Self, PageError> {
        let head = PageHead::new(layout, bytes, bytes.len())?;
        let data = bytes.get(head.data..head.length).unwrap_or_default();
        let (entries, behind) = data.split_at_checked(head.committed).unwrap_or_default();
        let lost = head.lost(behind)?;
        let used = head.entries().end + head.lost_size();
        let PageHead { timestamp, order, .. } = head;
        Ok(Page { timestamp, lost, data: entries, used, order })
    }

    /// Returns the size of the part of its bytes that is used: the header, the entries and the stored number of lost
    /// records. A page of these bytes alone is the same.
    pub fn used(&self) -> usize {
        self.used
    }

    /// Returns the page's time stamp, in units of the instance's clock; the first entry's delta counts from it.
    pub fn timestamp(&self) -> u64 {
        self.timestamp
    }

    /// Returns how many records were lost between the CPU's previous page and this one.
    pub fn lost(&self) -> Lost {
        self.lost
    }

    /// Returns the records of the page, in the order they were reserved.
    ///
    /// The walk ends at the first error: the start of the next entry is not known then.
    pub fn entries(&self) -> Entries<'a> {
        Entries::of(self.data, self.order, self.timestamp)
    }
}

/// One record of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The time when it was written, in units of the instance's clock.
    pub timestamp: u64,
    /// Its bytes, the common header first. There may be a few bytes more than were written: lengths are rounded up.
    pub data: &'a [u8],
}

/// An iterator over the records of a page: [`Page::entries`].
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    data: &'a [u8],
    /// What is not walked over yet: the end of `data`.
    rest: &'a [u8],
    /// The number of bytes behind `data` that the last entry is rounded up by.
    rounded: usize,
    order: ByteOrder,
    timestamp: u64,
    is_padded: bool,
}

/// `enum ring_buffer_type` (include/linux/ring_buffer.h); 1 to 28 are the length of the data in words.
mod entry_type {
    pub(super) const LONG_DATA: u32 = 0;
    pub(super) const PADDING: u32 = 29;
    pub(super) const TIME_EXTEND: u32 = 30;
    pub(super) const TIME_STAMP: u32 = 31;
}

impl<'a> Entries<'a> {
    fn of(data: &'a [u8], order: ByteOrder, timestamp: u64) -> Self {
        Entries { data, rest: data, rounded: 0, order, timestamp, is_padded: false }
    }

    /// Returns all bytes that it walks over; offsets count from their begin.
    pub fn bytes(&self) -> &'a [u8] {
        self.data
    }

    /// Returns whether the page is in little-endian byte order.
    pub fn is_little_endian(&self) -> bool {
        self.order == ByteOrder::Little
    }

    /// Moves the walk to where another walk over the same bytes stands: an offset of an entry or behind all of them,
    /// the time before it, and whether the rest of the page is padding.
    pub fn resume(&mut self, offset: usize, timestamp: u64, is_padded: bool) {
        self.move_to(offset);
        (self.timestamp, self.is_padded) = (timestamp, is_padded);
    }

    /// Returns the offset of the next entry.
    pub fn offset(&self) -> usize {
        self.data.len() - self.rest.len() + self.rounded
    }

    /// Goes on at an offset, which may be behind all bytes.
    fn move_to(&mut self, offset: usize) {
        self.rounded = offset.saturating_sub(self.data.len());
        self.rest = self.data.get(offset..).unwrap_or_default();
    }

    /// Returns the time before the next entry.
    pub fn timestamp(&self) -> u64 {
        self.timestamp
    }

    /// Returns whether the rest of the page is padding.
    pub fn is_padded(&self) -> bool {
        self.is_padded
    }

    /// Reads the entry at the current offset: a record, or nothing for those that only advance the time or pad the
    /// page.
    fn step(&mut self) -> Result<Option<Entry<'a>>, PageError> {
        let offset = self.offset();
        let outside = PageError::Entry { offset };
        let head = self.order.u32(self.data, offset).ok_or(outside)?;
        let (kind, delta) = split(head, self.order);
        match kind {
            entry_type::PADDING if delta == 0 => {
                self.move_to(self.data.len());
                self.is_padded = true;
                Ok(None)
            }
            entry_type::PADDING => {
                // A discarded record. The kernel forces a delta of 0 to 1 (`rb_event_discard`) and so does not count a
                // 1 (`check_buffer`); a larger delta is real, and the next record's delta counts from there.
                let length = self.word(offset)?;
                self.move_to(self.end_of(offset + 4, length as usize)?);
                if delta != 1 {
                    self.timestamp = self.timestamp.wrapping_add(delta);
                }
                Ok(None)
            }
            entry_type::TIME_EXTEND => {
                let high = u64::from(self.word(offset)?);
                self.timestamp = self.timestamp.wrapping_add((high << 27) + delta);
                self.move_to(offset + 8);
                Ok(None)
            }
            entry_type::TIME_STAMP => {
                let high = u64::from(self.word(offset)?);
                self.timestamp = absolute((high << 27) + delta, self.timestamp);
                self.move_to(offset + 8);
                Ok(None)
            }
            entry_type::LONG_DATA => {
                let length = self.word(offset)?;
                let size = length.checked_sub(4).ok_or(PageError::Length { offset, length })?;
                self.record(offset + 8, size as usize, delta, outside)
            }
            words => self.record(offset + 4, words as usize * 4, delta, outside),
        }
    }

    /// Returns the record of `size` bytes at `start`; the next entry follows at a multiple of four.
    fn record(
        &mut self,
        start: usize,
        size: usize,
        delta: u64,
        outside: PageError,
    ) -> Result<Option<Entry<'a>>, PageError> {
        let data = self.data.get(start..).and_then(|rest| rest.get(..size)).ok_or(outside)?;
        self.move_to(start + size.next_multiple_of(4));
        self.timestamp = self.timestamp.wrapping_add(delta);
        Ok(Some(Entry { timestamp: self.timestamp, data }))
    }

    /// Reads the second word of the entry at `offset`.
    fn word(&self, offset: usize) -> Result<u32, PageError> {
        self.order.u32(self.data, offset + 4).ok_or(PageError::Entry { offset })
    }

    /// Returns the end of `length` bytes that begin at `start`, if they are in the data.
    fn end_of(&self, start: usize, length: usize) -> Result<usize, PageError> {
        match start.checked_add(length) {
            Some(end) if end <= self.data.len() => Ok(end.next_multiple_of(4)),
            _ => Err(PageError::Entry { offset: self.offset() }),
        }
    }
}

/// Splits the first word of an entry into its type and its time delta.
#[inline]
fn split(head: u32, order: ByteOrder) -> (u32, u64) {
    let (kind, delta) = match order {
        ByteOrder::Little => (head & 31, head >> 5),
        ByteOrder::Big => (head >> 27, head & COMMIT_LENGTH as u32),
    };
    (kind, delta.into())
}

/// Completes an absolute stamp as `rb_fix_abs_ts` does: an entry holds 59 bits, the rest comes from the time before it.
fn absolute(stamp: u64, before: u64) -> u64 {
    if before & TIMESTAMP_TOP == 0 {
        return stamp;
    }
    let joined = stamp | (before & TIMESTAMP_TOP);
    if joined < before { joined.wrapping_add(1 << 59) } else { joined }
}

impl<'a> Entries<'a> {
    /// Reads on to the next record, over entries of all kinds.
    #[inline(never)]
    fn next_of_any(&mut self) -> Option<Result<Entry<'a>, PageError>> {
        while !self.rest.is_empty() {
            match self.step() {
                Ok(Some(entry)) => return Some(Ok(entry)),
                Ok(None) => {}
                Err(error) => {
                    self.move_to(self.data.len());
                    return Some(Err(error));
                }
            }
        }
        None
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, PageError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // Nearly all entries are short records of this machine's byte order: this is small enough to be a part of the
        // caller's loop.
        if self.order == ByteOrder::NATIVE
            && let Some((head, rest)) = self.rest.split_first_chunk()
        {
            let (kind, delta) = split(u32::from_ne_bytes(*head), ByteOrder::NATIVE);
            if (1..entry_type::PADDING).contains(&kind)
                && let Some((data, rest)) = rest.split_at_checked(kind as usize * 4)
            {
                self.rest = rest;
                self.timestamp = self.timestamp.wrapping_add(delta);
                return Some(Ok(Entry { timestamp: self.timestamp, data }));
            }
        }
        self.next_of_any()
    }
}
