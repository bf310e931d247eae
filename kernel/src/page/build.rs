//! Pages of any layout that are put together from records, or from the entries of other pages.

use super::{COMMIT_LENGTH, LOST, LOST_STORED, Lost, Page, PageError, PageLayout, TIMESTAMP_TOP, entry_type};
use crate::bytes::ByteOrder;

/// The bits of the delta of time that an entry's first word holds.
const DELTA_BITS: u32 = 27;

/// The longest data whose length the type of an entry says, in words (`RINGBUF_TYPE_DATA_TYPE_LEN_MAX`).
const MOST_WORDS: usize = 28;

/// The size of an entry that extends the time, bytes.
const EXTENSION: usize = 8;

/// The number of bits of a time that an entry holds: a word, and a delta.
const TIME_BITS: u32 = 32 + DELTA_BITS;

/// A page that is being put together.
///
/// What is added fits in a page of the layout, or is refused.
#[derive(Debug)]
pub struct PageBuilder {
    layout: PageLayout,
    order: ByteOrder,
    data: Vec<u8>,
    /// The time of the page, and that of its last entry.
    times: Option<(u64, u64)>,
}

/// What has to stand before an entry for its time.
#[derive(Clone, Copy)]
enum Step {
    /// Nothing: the entry has the delta itself.
    Delta(u32),
    /// `RINGBUF_TYPE_TIME_EXTEND` with this delta.
    Extend(u64),
    /// `RINGBUF_TYPE_TIME_STAMP` with this time.
    Stamp(u64),
}

impl Step {
    fn size(self) -> usize {
        if let Step::Delta(_) = self { 0 } else { EXTENSION }
    }
}

impl PageBuilder {
    /// Begins a page.
    pub fn new(layout: PageLayout) -> Self {
        let order = ByteOrder::little_if(layout.little_endian);
        PageBuilder { layout, order, data: Vec::new(), times: None }
    }

    /// Returns whether nothing was added.
    pub fn is_empty(&self) -> bool {
        self.times.is_none()
    }

    /// Returns the time of the last record; `None` if there is none.
    pub fn last(&self) -> Option<u64> {
        self.times.map(|(_, last)| last)
    }

    /// Adds a record. Its time may be before that of the last one: an entry with an absolute time precedes it then.
    ///
    /// Returns whether it did; if not, nothing has changed, and the record belongs in another page. A record that a page
    /// with nothing else in it refuses is longer than a page.
    pub fn add(&mut self, time: u64, record: &[u8]) -> bool {
        let words = record.len() / 4;
        let is_short = record.len().is_multiple_of(4) && (1..=MOST_WORDS).contains(&words);
        let head = if is_short { 4 } else { 8 };
        let Some(step) = self.step(time) else { return false };
        if !self.has_room(step.size() + head + record.len().next_multiple_of(4)) {
            return false;
        }
        let delta = self.advance(step);
        if is_short {
            self.head(words as u32, delta);
        } else {
            self.head(entry_type::LONG_DATA, delta);
            // The length counts the word that holds it.
            self.word(record.len() as u32 + 4);
        }
        self.data.extend_from_slice(record);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
        self.set_time(time);
        true
    }

    /// Adds the entries of a page of the same byte order as they are, behind an entry for the time if there has to be one.
    /// Records that were lost before that page are not noted.
    ///
    /// Returns whether it did, as [`add`](PageBuilder::add).
    ///
    /// # Errors
    /// [`PageError`], if the page is damaged; nothing has changed then.
    pub fn append(&mut self, page: &Page<'_>) -> Result<bool, PageError> {
        let mut entries = page.entries();
        let (mut end, mut has_record) = (0, false);
        while let Some(entry) = entries.next() {
            entry?;
            // What pads the rest of a page would hide what follows.
            (end, has_record) = (entries.offset(), true);
        }
        if !has_record {
            return Ok(true);
        }
        let time = if entries.is_padded() { time_at(page, end) } else { entries.timestamp() };
        let Some(step) = self.step(page.timestamp()) else { return Ok(false) };
        let step = match step {
            Step::Delta(0) => step,
            // The first entry has a delta of its own.
            Step::Delta(delta) => Step::Extend(delta.into()),
            other => other,
        };
        if !self.has_room(step.size() + end) {
            return Ok(false);
        }
        self.advance(step);
        self.data.extend_from_slice(entries.bytes().get(..end).unwrap_or_default());
        self.times.get_or_insert((page.timestamp(), page.timestamp()));
        self.set_time(time);
        Ok(true)
    }

    /// Appends the used part of the page to `to` and begins another; `lost` records were lost before it. Nothing is appended
    /// if it has no record.
    pub fn take(&mut self, lost: Lost, to: &mut Vec<u8>) {
        self.copy(lost, to);
        self.times = None;
        self.data.clear();
    }

    /// Appends a page without records to `to`, which says that some were lost before its time.
    pub fn empty(layout: PageLayout, time: u64, lost: Lost, to: &mut Vec<u8>) {
        let mut builder = PageBuilder::new(layout);
        builder.times = Some((time, time));
        builder.copy(lost, to);
    }

    /// Appends the page to `to` as [`take`](PageBuilder::take) does, and keeps it.
    pub fn copy(&self, lost: Lost, to: &mut Vec<u8>) {
        let Some((time, _)) = self.times else { return };
        let PageLayout { timestamp_offset, commit_offset, commit_size, data_offset, .. } = self.layout;
        let start = to.len();
        to.resize(start + data_offset as usize, 0);
        let mut commit = self.data.len() as u64 & COMMIT_LENGTH;
        let stored = match lost {
            Lost::None => None,
            Lost::Unknown => {
                commit |= LOST;
                None
            }
            Lost::Count(count) => {
                commit |= LOST;
                // As the kernel does (`ring_buffer_read_page`): the number is stored if it fits.
                self.has_room(commit_size as usize).then(|| {
                    commit |= LOST_STORED;
                    count
                })
            }
        };
        self.put(to, start + timestamp_offset as usize, time, 8);
        self.put(to, start + commit_offset as usize, commit, commit_size as usize);
        to.extend_from_slice(&self.data);
        if let Some(count) = stored {
            let at = to.len();
            to.resize(at + commit_size as usize, 0);
            self.put(to, at, count, commit_size as usize);
        }
    }

    fn has_room(&self, more: usize) -> bool {
        let room = self.layout.size.saturating_sub(self.layout.data_offset) as usize;
        self.data.len() + more <= room
    }

    /// Returns what an entry at a time needs before it; `None` if no entry leads there.
    fn step(&self, time: u64) -> Option<Step> {
        let Some((_, last)) = self.times else { return Some(Step::Delta(0)) };
        match time.checked_sub(last) {
            Some(delta) if delta < 1 << DELTA_BITS => Some(Step::Delta(delta as u32)),
            Some(delta) if delta < 1 << TIME_BITS => Some(Step::Extend(delta)),
            // The highest bits of an absolute time come from the time before it.
            None if last & TIMESTAMP_TOP == 0 => Some(Step::Stamp(time)),
            _ => None,
        }
    }

    /// Writes what an entry needs before it, and returns the delta that the entry has itself.
    fn advance(&mut self, step: Step) -> u32 {
        let (kind, time) = match step {
            Step::Delta(delta) => return delta,
            Step::Extend(delta) => (entry_type::TIME_EXTEND, delta),
            Step::Stamp(time) => (entry_type::TIME_STAMP, time),
        };
        self.head(kind, (time & ((1 << DELTA_BITS) - 1)) as u32);
        self.word((time >> DELTA_BITS) as u32);
        0
    }

    fn set_time(&mut self, time: u64) {
        let (_, last) = self.times.get_or_insert((time, time));
        *last = time;
    }

    fn head(&mut self, kind: u32, delta: u32) {
        self.word(match self.order {
            ByteOrder::Little => (delta << 5) | kind,
            ByteOrder::Big => (kind << DELTA_BITS) | delta,
        });
    }

    fn word(&mut self, word: u32) {
        self.data.extend_from_slice(&match self.order {
            ByteOrder::Little => word.to_le_bytes(),
            ByteOrder::Big => word.to_be_bytes(),
        });
    }

    /// Writes a number of `size` bytes at an offset.
    fn put(&self, to: &mut [u8], at: usize, number: u64, size: usize) {
        let bytes = match self.order {
            ByteOrder::Little => number.to_le_bytes(),
            ByteOrder::Big => number.to_be_bytes(),
        };
        let bytes = match self.order {
            ByteOrder::Little => bytes.get(..size),
            ByteOrder::Big => bytes.get(8 - size.min(8)..),
        };
        if let (Some(bytes), Some(to)) = (bytes, to.get_mut(at..at + size)) {
            to.copy_from_slice(bytes);
        }
    }
}

/// Returns the time of the last record before an offset of the entries.
fn time_at(page: &Page<'_>, end: usize) -> u64 {
    let mut entries = page.entries();
    let mut time = page.timestamp();
    while entries.offset() < end {
        let Some(Ok(entry)) = entries.next() else { break };
        time = entry.timestamp;
    }
    time
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layouts() -> [PageLayout; 3] {
        let little = PageLayout { little_endian: true, ..PageLayout::default() };
        let big = PageLayout { little_endian: false, ..little };
        [little, big, PageLayout { commit_size: 4, data_offset: 12, size: 4096, ..little }]
    }

    fn records(layout: &PageLayout, page: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let page = Page::new(layout, page).unwrap();
        page.entries()
            .map(|entry| entry.map(|entry| (entry.timestamp, entry.data.to_vec())).unwrap())
            .collect()
    }

    /// Records of lengths and times of every kind; a length of one byte is rounded up by the reader.
    fn sample() -> Vec<(u64, Vec<u8>)> {
        vec![
            (1_000, vec![1; 8]),
            (1_000, vec![2; 16]),
            (1_000 + (1 << 27), vec![3; 112]),
            (1_000 + (1 << 58), vec![4; 116]),
            // The clock steps back.
            (7, vec![5; 4]),
            (8, vec![6; 400]),
        ]
    }

    #[test]
    fn page_has_the_records_and_times_that_were_added() {
        for layout in layouts() {
            let mut builder = PageBuilder::new(layout);
            assert!(builder.is_empty());
            for (time, record) in sample() {
                assert!(builder.add(time, &record));
            }
            assert_eq!(builder.last(), Some(8));
            let mut bytes = Vec::new();
            builder.take(Lost::None, &mut bytes);
            assert_eq!(records(&layout, &bytes), sample());
            let length = bytes.len();
            assert_eq!(Page::new(&layout, &bytes).unwrap().used(), length);
            builder.take(Lost::None, &mut bytes);
            assert_eq!(bytes.len(), length, "nothing is left");
        }
    }

    #[test]
    fn lost_records_are_counted_where_the_number_fits() {
        for layout in layouts() {
            let mut builder = PageBuilder::new(layout);
            assert!(builder.add(5, &[0; 8]));
            let lost = |builder: &PageBuilder, lost| {
                let mut bytes = Vec::new();
                builder.copy(lost, &mut bytes);
                Page::new(&layout, &bytes).unwrap().lost()
            };
            for said in [Lost::None, Lost::Unknown, Lost::Count(77)] {
                assert_eq!(lost(&builder, said), said);
            }
            while builder.add(5, &[0; 4]) {}
            assert_eq!(lost(&builder, Lost::Count(77)), Lost::Unknown, "the page is full");
        }
    }

    #[test]
    fn record_that_does_not_fit_changes_nothing() {
        let mut builder = PageBuilder::new(PageLayout::default());
        assert!(!builder.add(1, &[0; 4096]));
        assert!(builder.is_empty());
        assert!(builder.add(1, &[0; 4000]));
        // The record alone has room, but not with an entry for its time.
        assert!(!builder.add(1 << 40, &[0; 64]));
        assert!(builder.add(1, &[0; 64]));
    }

    #[test]
    fn time_before_one_of_more_bits_than_an_entry_holds_begins_another_page() {
        let mut builder = PageBuilder::new(PageLayout::default());
        assert!(builder.add(1 << 60, &[0; 8]));
        assert!(!builder.add(1, &[0; 8]));
        assert!(builder.add((1 << 60) + (1 << 58), &[0; 8]));
    }

    #[test]
    fn appended_pages_become_one_with_all_records() {
        for layout in layouts() {
            let all = sample();
            let (first, second) = all.split_at(2);
            let page = |records: &[(u64, Vec<u8>)]| {
                let mut builder = PageBuilder::new(layout);
                for (time, record) in records {
                    assert!(builder.add(*time, record));
                }
                let mut bytes = Vec::new();
                builder.take(Lost::Count(3), &mut bytes);
                bytes
            };
            let mut joined = PageBuilder::new(layout);
            for bytes in [page(first), page(second), page(&sample())] {
                assert_eq!(joined.append(&Page::new(&layout, &bytes).unwrap()), Ok(true));
            }
            let mut bytes = Vec::new();
            joined.take(Lost::Unknown, &mut bytes);
            assert_eq!(records(&layout, &bytes), [sample(), sample()].concat());
            assert_eq!(Page::new(&layout, &bytes).unwrap().lost(), Lost::Unknown);
        }
    }

    #[test]
    fn padding_behind_the_records_of_an_appended_page_is_left_out() {
        let layout = PageLayout::default();
        let mut builder = PageBuilder::new(layout);
        assert!(builder.add(10, &[1; 8]));
        builder.head(entry_type::PADDING, 0);
        builder.data.resize(1000, 0);
        let mut padded = Vec::new();
        builder.take(Lost::None, &mut padded);
        let padded = Page::new(&layout, &padded).unwrap();
        let mut joined = PageBuilder::new(layout);
        assert_eq!([joined.append(&padded), joined.append(&padded)], [Ok(true), Ok(true)]);
        let mut bytes = Vec::new();
        joined.take(Lost::None, &mut bytes);
        assert_eq!(records(&layout, &bytes), [(10, vec![1; 8]), (10, vec![1; 8])]);
    }

    #[test]
    fn damaged_page_and_page_without_records_add_nothing() {
        let layout = PageLayout::default();
        let page = |commit: u64| [5_u64.to_ne_bytes(), commit.to_ne_bytes(), [0xff; 8]].concat();
        let mut joined = PageBuilder::new(layout);
        assert_eq!(joined.append(&Page::new(&layout, &page(0)).unwrap()), Ok(true));
        assert!(joined.append(&Page::new(&layout, &page(4)).unwrap()).is_err());
        assert!(joined.is_empty());
    }
}
