//! Pages that are written here, as a kernel of this machine writes them: for records that did not come in pages.

use super::{PageLayout, entry_type};
use crate::bytes::ByteOrder;

/// The size of a page, in bytes. It is longer than any record with the words in front of it.
const SIZE: u32 = 1 << 16;

/// The bits of the delta of time that an entry's first word holds.
const DELTA_BITS: u32 = 27;

/// The longest data whose length the type of an entry says, in words (`RINGBUF_TYPE_DATA_TYPE_LEN_MAX`).
const MOST_WORDS: usize = 28;

/// The most bytes in front of the data of a record: an entry that extends the time, and two words.
const WORDS: usize = 16;

/// A page that is being written.
#[derive(Debug, Default)]
pub struct PageWriter {
    data: Vec<u8>,
    /// The times of the first record and of the last.
    times: Option<(u64, u64)>,
}

impl PageWriter {
    /// Returns the layout of the pages.
    pub fn layout() -> PageLayout {
        PageLayout { size: SIZE, ..PageLayout::default() }
    }

    /// Returns whether a record fits.
    pub fn has_room(&self, record: &[u8]) -> bool {
        let room = (SIZE - PageLayout::default().data_offset) as usize;
        self.data.len() + record.len() + WORDS <= room
    }

    /// Adds a record that is not older than the one before: one that is gets its time.
    pub fn add(&mut self, time: u64, record: &[u8]) {
        let (_, last) = self.times.get_or_insert((time, time));
        let delta = time.saturating_sub(*last);
        *last = time.max(*last);
        let low = delta & ((1 << DELTA_BITS) - 1);
        let delta = match low == delta {
            true => low as u32,
            false => {
                self.head(entry_type::TIME_EXTEND, low as u32);
                self.word((delta >> DELTA_BITS) as u32);
                0
            }
        };
        let words = record.len() / 4;
        if record.len().is_multiple_of(4) && (1..=MOST_WORDS).contains(&words) {
            self.head(words as u32, delta);
        } else {
            self.head(entry_type::LONG_DATA, delta);
            // The length counts the word that holds it.
            self.word(record.len() as u32 + 4);
        }
        self.data.extend_from_slice(record);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
    }

    /// Returns the page and begins another; `None` if it has no record.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        let (first, _) = self.times.take()?;
        let mut page = first.to_ne_bytes().to_vec();
        page.extend_from_slice(&(self.data.len() as u64).to_ne_bytes());
        page.append(&mut self.data);
        Some(page)
    }

    fn head(&mut self, kind: u32, delta: u32) {
        self.word(match ByteOrder::NATIVE {
            ByteOrder::Little => (delta << 5) | kind,
            ByteOrder::Big => (kind << DELTA_BITS) | delta,
        });
    }

    fn word(&mut self, word: u32) {
        self.data.extend_from_slice(&word.to_ne_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::Page;
    use super::*;

    #[test]
    fn page_has_the_records_and_times_that_were_added() {
        let records: [(u64, &[u8]); 6] = [
            (1_000, &[1; 8]),
            (1_000, &[2; 13]),
            (5_000_000_000, &[3; 112]),
            (5_000_000_001, &[4; 116]),
            (7, &[5; 4]),
            // A delta has 59 bits with its extension, 18 years.
            ((1 << 59) + 5_000_000_000, &[6; 1]),
        ];
        let mut writer = PageWriter::default();
        assert_eq!(writer.take(), None);
        for (time, record) in records {
            assert!(writer.has_room(record));
            writer.add(time, record);
        }
        let bytes = writer.take().unwrap();
        let page = Page::new(&PageWriter::layout(), &bytes).unwrap();
        let read: Vec<_> = page.entries().map(Result::unwrap).collect();
        assert_eq!(read.len(), records.len());
        let mut newest = 0;
        for (read, (time, record)) in read.iter().zip(records) {
            newest = time.max(newest);
            assert_eq!((read.timestamp, &read.data[..record.len()]), (newest, record));
        }
        assert!(writer.take().is_none() && !writer.has_room(&[0; 1 << 16]));
    }
}
