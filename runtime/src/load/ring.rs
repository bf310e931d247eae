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
use rustc_hash::FxHashMap;
use rustix::event::epoll;
use rustix::io::Errno;
use tracec_kernel::page::{PageError, PageLayout, PageWriter};
use tracec_kernel::plan::Programs;
use tracec_kernel::tables::limits::TASK_COMM_LEN;

use crate::failure::Failure;
use crate::record::pass::Pass;
use crate::record::ring::Fill;

/// The most records of a pass: programs may write as fast as they are read.
const MOST_RECORDS: usize = 1 << 16;

/// Records that were taken out of the ring.
#[derive(Debug, Default)]
struct Taken {
    bytes: Vec<u8>,
    /// The CPU, the time, and where the bytes are.
    records: Vec<(u32, u64, usize, usize)>,
    /// The names of the tasks, the last of each.
    names: FxHashMap<i32, [u8; TASK_COMM_LEN]>,
}

/// The ring buffer of loaded programs.
pub(crate) struct SampleRing {
    ring: RingBuffer<'static>,
    taken: Rc<RefCell<Taken>>,
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
        let size = u64::from(map.max_entries());
        let readable = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(io::Error::from)?;
        let token = epoll::EventData::new_u64(0);
        epoll::add(&readable, map.as_fd(), token, epoll::EventFlags::IN).map_err(io::Error::from)?;
        Ok(SampleRing { ring, taken, readable, cpus, size })
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
        PageWriter::layout()
    }

    /// Reads the records that there are now, at most so many that a pass ends. Also returns how full the ring was.
    pub(crate) fn drain(&mut self) -> Result<(Pass, Fill), Failure> {
        let consumed = self.ring.consume_raw_n(MOST_RECORDS);
        let consumed = usize::try_from(consumed).map_err(|_| {
            Failure::of_programs(
                None,
                format!(
                    "the ring buffer of the programs cannot be read: {}",
                    Errno::from_raw_os_error(-consumed)
                ),
            )
        })?;
        let mut taken = self.taken.borrow_mut();
        let Taken { bytes, records, names } = &mut *taken;
        let fill = Fill::of(bytes.len() as u64, self.size);
        // The sort keeps the order of equal times.
        records.sort_by_key(|(cpu, time, ..)| (*cpu, *time));
        let (mut pass, mut page) = (Pass::default(), PageWriter::default());
        let mut rest = records.iter().peekable();
        for cpu in 0..self.cpus {
            while let Some((_, time, start, end)) = rest.next_if(|(of, ..)| *of == cpu) {
                let record = bytes.get(*start..*end).unwrap_or_default();
                if page.add(*time, record) {
                    continue;
                }
                hand_over(&mut page, &mut pass, cpu)?;
                if !page.add(*time, record) {
                    // It is longer than a page.
                    return Err(Failure::Page { cpu, source: PageError::Entry { offset: 0 } });
                }
            }
            hand_over(&mut page, &mut pass, cpu)?;
            pass.end_lane(consumed < MOST_RECORDS);
        }
        for (task, comm) in names.drain() {
            pass.name(task, comm);
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
        let comm = head.get(Programs::COMM_AT..).and_then(<[u8]>::first_chunk);
        // The thread id is behind the first word of a record (`struct trace_entry`).
        let task = record.get(4..).and_then(<[u8]>::first_chunk);
        if let (Some(task), Some(comm)) = (task, comm) {
            self.names.insert(i32::from_ne_bytes(*task), *comm);
        }
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record);
        self.records.push((word(8) as u32, word(0), start, self.bytes.len()));
    }
}

/// Adds a page to a pass, if it has a record, and begins another.
fn hand_over(page: &mut PageWriter, pass: &mut Pass, cpu: u32) -> Result<(), Failure> {
    let Some(bytes) = page.take() else { return Ok(()) };
    let added = pass.add(cpu as usize, cpu, &bytes, &PageWriter::layout());
    added.map(|_| ()).map_err(|source| Failure::Page { cpu, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sample_is_taken_apart() {
        let mut taken = Taken::default();
        let head = [7_u64.to_ne_bytes(), 3_u64.to_ne_bytes()].concat();
        let sample = [&head[..], b"true\0..........\0", &[9; 8]].concat();
        taken.take(&sample);
        taken.take(&[0; 5]);
        assert_eq!((taken.records, taken.bytes), (vec![(3, 7, 0, 8)], vec![9; 8]));
        assert_eq!(taken.names[&i32::from_ne_bytes([9; 4])], *b"true\0..........\0");
    }
}
