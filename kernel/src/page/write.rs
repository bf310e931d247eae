//! Pages that are written here, as a kernel of this machine writes them: for records that did not come in pages.

use super::{Lost, PageBuilder, PageLayout};

/// The size of a page, in bytes. It is longer than any record with the words in front of it.
const SIZE: u32 = 1 << 16;

/// A page that is being written.
#[derive(Debug)]
pub struct PageWriter {
    builder: PageBuilder,
}

impl Default for PageWriter {
    fn default() -> Self {
        PageWriter { builder: PageBuilder::new(PageWriter::layout()) }
    }
}

impl PageWriter {
    /// Returns the layout of the pages.
    pub fn layout() -> PageLayout {
        PageLayout { size: SIZE, ..PageLayout::default() }
    }

    /// Adds a record that is not older than the one before: one that is gets its time. Returns whether it fits.
    pub fn add(&mut self, time: u64, record: &[u8]) -> bool {
        self.builder.add(self.builder.last().map_or(time, |last| time.max(last)), record)
    }

    /// Returns the used part of the page and begins another; `None` if it has no record.
    pub fn take(&mut self) -> Option<Vec<u8>> {
        if self.builder.is_empty() {
            return None;
        }
        let mut page = Vec::new();
        self.builder.take(Lost::None, &mut page);
        Some(page)
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
            assert!(writer.add(time, record));
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
        assert!(writer.take().is_none() && !writer.add(1, &[0; 1 << 16]));
    }
}
