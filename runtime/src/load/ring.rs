//! The ring buffer of programs, read into pages as the kernel's own ring buffers have them, so that all that follows is
//! the same.
//!
//! All CPUs share the ring. The records of each CPU are sorted by time: a program that an interrupt stops between its
//! reservation and the reading of the clock has a later time than the one that ran meanwhile.

use std::cell::RefCell;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::rc::Rc;

use libbpf_rs::{MapCore, RingBuffer, RingBufferBuilder};
use rustix::event::epoll;
use rustix::io::Errno;
use tracec_kernel::page::PageLayout;
use tracec_kernel::plan::Programs;

use crate::failure::Failure;
use crate::record::pass::Pass;
use crate::record::ring::Fill;

/// The size of a page that is made here, in bytes. Longer than any record with what is in front of it.
const PAGE: usize = 1 << 16;

/// The most records of a pass: programs may write as fast as they are read.
const MOST_RECORDS: usize = 1 << 16;

/// The largest delta of time that a record's own word holds: 27 bits (include/linux/ring_buffer.h).
const MOST_DELTA: u64 = (1 << 27) - 1;

/// The type of an entry that extends the delta of time.
const TIME_EXTEND: u32 = 30;

/// The longest data whose length the type of an entry says, in words (`RINGBUF_TYPE_DATA_TYPE_LEN_MAX`).
const MOST_WORDS: usize = 28;

/// Records that were taken out of the ring.
#[derive(Debug, Default)]
struct Taken {
    bytes: Vec<u8>,
    /// The CPU, the time, and where the bytes are.
    records: Vec<(u32, u64, usize, usize)>,
}

/// The ring buffer of loaded programs.
pub(crate) struct SampleRing {
    ring: RingBuffer<'static>,
    taken: Rc<RefCell<Taken>>,
    layout: PageLayout,
    readable: OwnedFd,
    cpus: u32,
    size: u64,
}

impl std::fmt::Debug for SampleRing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SampleRing").field("size", &self.size).finish_non_exhaustive()
    }
}

impl SampleRing {
    /// Opens the ring of a map.
    pub(super) fn open(map: &dyn MapCore, cpus: u32) -> libbpf_rs::Result<SampleRing> {
        let taken = Rc::<RefCell<Taken>>::default();
        let into = Rc::clone(&taken);
        let mut builder = RingBufferBuilder::new();
        builder.add(map, move |sample| {
            into.borrow_mut().take(sample);
            0
        })?;
        let ring = builder.build()?;
        let layout = PageLayout { size: PAGE as u32, ..PageLayout::default() };
        let size = u64::from(map.max_entries());
        let readable = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(io::Error::from)?;
        let token = epoll::EventData::new_u64(0);
        epoll::add(&readable, map.as_fd(), token, epoll::EventFlags::IN).map_err(io::Error::from)?;
        Ok(SampleRing { ring, taken, layout, readable, cpus, size })
    }

    /// Returns the CPUs in the order of their lanes.
    pub(crate) fn cpus(&self) -> std::ops::Range<u32> {
        0..self.cpus
    }

    /// Returns a descriptor that polls as readable when there are records.
    pub(crate) fn readable(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }

    /// Returns the layout of the pages that are made.
    pub(crate) fn layout(&self) -> PageLayout {
        self.layout
    }

    /// Reads the records that there are now, at most so many that a pass ends. Also returns how full the ring was.
    pub(crate) fn drain(&mut self) -> Result<(Pass, Fill), Failure> {
        let consumed = self.ring.consume_raw_n(MOST_RECORDS);
        let consumed = usize::try_from(consumed).map_err(|_| Failure::Programs {
            origin: None,
            reason: format!(
                "the ring buffer of the programs cannot be read: {}",
                Errno::from_raw_os_error(-consumed)
            ),
            log: Vec::new(),
        })?;
        let mut taken = self.taken.borrow_mut();
        let Taken { bytes, records } = &mut *taken;
        let fill = match bytes.len() as u64 {
            used if used > self.size / 4 => Fill::Quarter,
            used if used > self.size / 16 => Fill::Sixteenth,
            _ => Fill::Less,
        };
        // The sort keeps the order of equal times.
        records.sort_by_key(|(cpu, time, ..)| (*cpu, *time));
        let (mut pass, mut page) = (Pass::default(), Page::default());
        let mut rest = records.iter().peekable();
        for cpu in 0..self.cpus {
            while let Some((_, time, start, end)) = rest.next_if(|(of, ..)| *of == cpu) {
                let record = bytes.get(*start..*end).unwrap_or_default();
                if !page.has_room(record) {
                    page.end_into(&mut pass, cpu, &self.layout)?;
                }
                page.add(*time, record);
            }
            page.end_into(&mut pass, cpu, &self.layout)?;
            pass.end_lane(consumed < MOST_RECORDS);
        }
        bytes.clear();
        records.clear();
        Ok((pass, fill))
    }
}

impl Taken {
    /// Takes a sample: the time, the CPU, and the record.
    fn take(&mut self, sample: &[u8]) {
        let Some((head, record)) = sample.split_at_checked(Programs::HEAD_BYTES) else { return };
        let word = |at: usize| {
            head.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_ne_bytes(*word))
        };
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record);
        self.records.push((word(8) as u32, word(0), start, self.bytes.len()));
    }
}

/// A page that is being made: its data, and the times of its begin and of its last record.
#[derive(Debug, Default)]
struct Page {
    data: Vec<u8>,
    times: Option<(u64, u64)>,
}

impl Page {
    /// Returns whether a record fits, with the words in front of it.
    fn has_room(&self, record: &[u8]) -> bool {
        self.data.len() + record.len() + 16 <= PAGE - PageLayout::default().data_offset as usize
    }

    fn add(&mut self, time: u64, record: &[u8]) {
        let (_, last) = self.times.get_or_insert((time, time));
        let delta = time.saturating_sub(*last);
        *last = time;
        let mut word = |word: u32| self.data.extend_from_slice(&word.to_ne_bytes());
        let delta = if delta > MOST_DELTA {
            word((((delta & MOST_DELTA) as u32) << 5) | TIME_EXTEND);
            word((delta >> 27) as u32);
            0
        } else {
            delta as u32
        };
        let words = record.len().div_ceil(4);
        if record.len().is_multiple_of(4) && (1..=MOST_WORDS).contains(&words) {
            word((delta << 5) | words as u32);
        } else {
            word(delta << 5);
            word(record.len() as u32 + 4);
        }
        self.data.extend_from_slice(record);
        self.data.resize(self.data.len().next_multiple_of(4), 0);
    }

    /// Adds the page to a pass, if it has a record, and begins another.
    fn end_into(&mut self, pass: &mut Pass, cpu: u32, layout: &PageLayout) -> Result<(), Failure> {
        let Some((begin, _)) = self.times.take() else { return Ok(()) };
        let mut bytes = begin.to_ne_bytes().to_vec();
        bytes.extend_from_slice(&(self.data.len() as u64).to_ne_bytes());
        bytes.append(&mut self.data);
        let added = pass.add(cpu as usize, cpu, &bytes, layout);
        added.map(|_| ()).map_err(|source| Failure::Page { cpu, source })
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::page::Page as Read;

    use super::*;

    #[test]
    fn page_has_the_records_and_times_that_were_added() {
        let records: [(u64, &[u8]); 5] = [
            (1_000, &[1; 8]),
            (1_000, &[2; 13]),
            (5_000_000_000, &[3; 112]),
            (5_000_000_001, &[4; 116]),
            // A delta has 59 bits with its extension, 18 years.
            ((1 << 59) + 5_000_000_000, &[5; 1]),
        ];
        let mut page = Page::default();
        for (time, record) in records {
            assert!(page.has_room(record));
            page.add(time, record);
        }
        let layout = PageLayout { size: PAGE as u32, ..PageLayout::default() };
        let mut bytes = records[0].0.to_ne_bytes().to_vec();
        bytes.extend((page.data.len() as u64).to_ne_bytes());
        bytes.extend(&page.data);
        let read = Read::new(&layout, &bytes).unwrap();
        let read: Vec<(u64, Vec<u8>)> = read
            .entries()
            .map(|entry| entry.unwrap())
            .map(|entry| (entry.timestamp, entry.data.to_vec()))
            .collect();
        for ((time, data), (expected, record)) in read.iter().zip(records) {
            assert_eq!((*time, &data[..record.len()]), (expected, record));
        }
        assert_eq!(read.len(), records.len());
    }

    #[test]
    fn sample_is_taken_apart() {
        let mut taken = Taken::default();
        let sample = [7_u64.to_ne_bytes(), 3_u64.to_ne_bytes(), [9; 8]].concat();
        taken.take(&sample);
        taken.take(&[0; 5]);
        assert_eq!((taken.records, taken.bytes), (vec![(3, 7, 0, 8)], vec![9; 8]));
    }
}
