//! The per-CPU ring buffers of an instance, read as raw pages.

use std::array;
use std::collections::BTreeMap;
use std::io::IoSliceMut;
use std::time::Duration;

use rustix::event::epoll;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::OFlags;
use rustix::io::Errno;
use tracec_kernel::page::{PageError, PageLayout};
use tracec_kernel::tables::limits::RING_KIB;

use super::pass::{Added, Pass, is_full};
use super::stats::{self, Overwritten};
use crate::failure::Failure;
use crate::tracefs::{Directory, TracefsError};

/// The assumed size of a ring whose `buffer_size_kb` cannot be read: the kernel's default (kernel/trace/trace.c,
/// `TRACE_BUF_SIZE_DEFAULT`).
const USUAL_RING_BYTES: u64 = RING_KIB * 1024;

/// What is known of each CPU.
pub(crate) type ByCpu<T> = Vec<(u32, T)>;

/// How much of a ring was full when it was read, in parts of [`Fill::WHOLE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Fill(u64);

impl Fill {
    const WHOLE: u64 = 1 << 10;

    /// That of a ring of which a pass has left a part.
    const FULL: Fill = Fill(Fill::WHOLE);

    /// Returns that of a ring with so many bytes of its size.
    pub(crate) const fn of(used: u64, size: u64) -> Self {
        Fill(match used.saturating_mul(Fill::WHOLE).checked_div(size) {
            Some(parts) => parts,
            None => Fill::WHOLE,
        })
    }

    /// Returns how long a ring takes that is emptied now until it is as full as `wanted`, if it took a time until it was as
    /// full as this.
    pub(crate) fn time_until(self, wanted: Fill, filled_for: Duration) -> Duration {
        filled_for.saturating_mul(u32::try_from(wanted.0).unwrap_or(u32::MAX))
            / u32::try_from(self.0.max(1)).unwrap_or(u32::MAX)
    }
}

/// How many pages of a CPU a pass reads that were not full: the first record of the next one had room in them. A CPU
/// that records without a break fills its page while it is read. A read takes the few records that came during the one
/// before then, and costs as much as one of a full page.
const MOST_CUT: u32 = 2;

/// Behind so many pages of a CPU, one that is not full is the last one of a pass: the CPU is filling it.
const MANY: u64 = 16;

/// How many pages of a CPU are read by one call.
const TOGETHER: usize = 16;

/// How many bytes of a CPU a pass reads at most. A ring that was not read for long may be large, and its pages are held until
/// they are written. At the usual pace a pass has a small part of that, so that the length of a pass costs nothing.
const MOST_AT_ONCE: u64 = 4 << 20;

/// The most bytes before the data of a record: its header, a length and a time (include/linux/ring_buffer.h).
const WORDS: usize = 16;

#[derive(Debug)]
struct Cpu {
    number: u32,
    raw: OwnedFd,
    /// The number of pages that the last pass has read.
    pages: usize,
}

/// An open `trace_pipe_raw` for each CPU. While it is open, the instance cannot be removed (EBUSY).
#[derive(Debug)]
pub(crate) struct Ring {
    cpus: Vec<Cpu>,
    readable: OwnedFd,
    layout: PageLayout,
    bytes_per_cpu: u64,
    /// The number of bytes of the last pass.
    usual: usize,
    damaged: Vec<Damaged>,
    /// Why a CPU could not be read, behind a pass with what was read of others.
    failure: Option<Failure>,
}

/// The pages of a CPU that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// The CPU.
    pub cpu: u32,
    /// How many they are.
    pub pages: u64,
    /// What is wrong with the first.
    pub first: PageError,
}

impl Ring {
    /// Opens the rings of an instance. The page layout is that of the instance.
    pub(crate) fn open(instance: &Directory) -> Result<Self, Failure> {
        Ring::of_files(instance, "trace_pipe_raw", true)
    }

    /// Opens the snapshot of an instance, which has the layout of its rings. The kernel must have snapshots. They cannot be
    /// polled (`snapshot_raw_fops`, kernel/trace/trace.c).
    pub(crate) fn snapshot(instance: &Directory) -> Result<Self, Failure> {
        Ring::of_files(instance, "snapshot_raw", false)
    }

    fn of_files(instance: &Directory, name: &str, polls: bool) -> Result<Self, Failure> {
        let path = "events/header_page";
        let layout = PageLayout::parse(&instance.read_to_string(path)?)
            .map_err(|source| Failure::Layout { path: path.to_owned(), source })?;
        let size = instance.read_to_string("buffer_size_kb")?;
        let readable = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(Failure::system("epoll"))?;
        let mut cpus = Vec::new();
        for number in cpu_numbers(instance)? {
            let path = format!("per_cpu/cpu{number}/{name}");
            let raw = instance.open(&path, OFlags::RDONLY | OFlags::NONBLOCK)?;
            // A CPU that was never online has no buffer and always polls as an error; it is read in passes only.
            if polls && has_buffer(raw.as_fd()) {
                let token = epoll::EventData::new_u64(u64::from(number));
                epoll::add(&readable, &raw, token, epoll::EventFlags::IN)
                    .map_err(Failure::system("epoll"))?;
            }
            cpus.push(Cpu { number, raw, pages: 0 });
        }
        let bytes_per_cpu = stats::ring_bytes(&size).unwrap_or(USUAL_RING_BYTES);
        Ok(Ring { cpus, readable, layout, bytes_per_cpu, usual: 0, damaged: Vec::new(), failure: None })
    }

    /// Returns the CPUs in the order of their lanes.
    pub(crate) fn cpus(&self) -> impl Iterator<Item = u32> + '_ {
        self.cpus.iter().map(|cpu| cpu.number)
    }

    /// Returns a descriptor that polls as readable when any CPU has data.
    pub(crate) fn readable(&self) -> BorrowedFd<'_> {
        self.readable.as_fd()
    }

    /// Returns the layout of its pages.
    pub(crate) fn layout(&self) -> PageLayout {
        self.layout
    }

    /// Reads the data of all CPUs, at most the size of the ring of each so that a pass ends. Of a damaged page, as
    /// [`drain_into`](Ring::drain_into).
    pub(crate) fn drain(&mut self) -> Result<Pass, Failure> {
        let (pass, _) = self.drain_at_most(Pass::default(), self.bytes_per_cpu)?;
        Ok(pass)
    }

    /// Reads the data of all CPUs into a pass that is empty, so much that it can be held. Also returns how full the fullest
    /// ring was; one of which something is left counts as full.
    ///
    /// The records of a [damaged](Ring::damaged) page are lost, which the pass says, and nothing else.
    ///
    /// # Errors
    /// A CPU cannot be read. What was read of others before is in a pass, and the error is that of the next one.
    pub(crate) fn drain_into(&mut self, pass: Pass) -> Result<(Pass, Fill), Failure> {
        self.drain_at_most(pass, self.bytes_per_cpu.min(MOST_AT_ONCE))
    }

    /// Returns how many passes read all of a ring that is full.
    pub(crate) fn passes(&self) -> u64 {
        self.bytes_per_cpu.div_ceil(MOST_AT_ONCE).max(1)
    }

    /// Returns the pages that could not be read.
    pub(crate) fn damaged(&self) -> &[Damaged] {
        &self.damaged
    }

    /// Takes the pages that could not be read so far.
    pub(crate) fn take_damaged(&mut self) -> Vec<Damaged> {
        std::mem::take(&mut self.damaged)
    }

    fn drain_at_most(&mut self, mut pass: Pass, limit: u64) -> Result<(Pass, Fill), Failure> {
        self.failure.take().map_or(Ok(()), Err)?;
        // As much as the last pass, and what the last call may read: memory that grows takes twice of it.
        pass.room(self.usual + TOGETHER * self.layout.size as usize);
        let mut most = Fill::of(0, self.bytes_per_cpu);
        for lane in 0..self.cpus.len() {
            let total = match self.drain_cpu(lane, &mut pass, limit) {
                Ok(total) => total,
                Err(failure) if pass.is_empty() => return Err(failure),
                Err(failure) => {
                    // What was read is no longer in the rings.
                    self.failure = Some(failure);
                    (lane..self.cpus.len()).for_each(|_| pass.end_lane(false));
                    most = Fill::FULL;
                    break;
                }
            };
            most = most.max(if total < limit { Fill::of(total, self.bytes_per_cpu) } else { Fill::FULL });
        }
        self.usual = pass.bytes();
        Ok((pass, most))
    }

    fn drain_cpu(&mut self, lane: usize, pass: &mut Pass, limit: u64) -> Result<u64, Failure> {
        let (layout, size) = (self.layout, self.layout.size as usize);
        let Some(Cpu { number: cpu, raw, pages: usual }) = self.cpus.get_mut(lane) else { return Ok(0) };
        let cpu = *cpu;
        let (mut total, mut cut, mut before, mut pages) = (0, 0, None, 0);
        let is_all = loop {
            if total >= limit {
                break false;
            }
            // Half of those that are expected: what comes behind the last full page is not read page by page.
            let together = (usual.saturating_sub(pages) / 2).clamp(1, TOGETHER);
            let start = pass.end();
            let read = match read_pages(raw, pass.room(together * size), size) {
                // ENODEV: the CPU has no buffer (yet).
                Ok(0) | Err(Errno::AGAIN | Errno::NODEV) => break true,
                Ok(read) => read,
                Err(Errno::INTR) => continue,
                Err(errno) => return Err(Failure::Read { cpu, errno }),
            };
            let mut is_filled_now = false;
            for at in (0..read).step_by(size) {
                let place = start + at..start + read.min(at + size);
                pages += 1;
                // Those behind it are out of the ring too.
                let Added { used, first } = match pass.add_read((lane, cpu), place, &layout) {
                    Ok(added) => added,
                    Err(source) => {
                        pass.add_lost((lane, cpu), &layout);
                        note_damage(&mut self.damaged, cpu, source);
                        total += size as u64;
                        continue;
                    }
                };
                total += used as u64;
                let has_room = |before: usize| before + first + WORDS <= size;
                cut += u32::from(before.is_some_and(has_room));
                is_filled_now = total > MANY * size as u64 && !is_full(used, &layout) && has_room(used);
                before = Some(used);
            }
            if cut >= MOST_CUT || is_filled_now {
                break false;
            }
        };
        *usual = pages;
        pass.end_lane(is_all);
        Ok(total)
    }
}

/// Takes note of a page that could not be read.
fn note_damage(damaged: &mut Vec<Damaged>, cpu: u32, source: PageError) {
    match damaged.iter_mut().find(|damaged| damaged.cpu == cpu) {
        Some(found) => found.pages += 1,
        None => damaged.push(Damaged { cpu, pages: 1, first: source }),
    }
}

/// Reads pages into a room, at most as many as it has parts of a size. The kernel gives one page for each part of a
/// vectored read, and none where there is no more (`do_loop_readv_writev` in fs/read_write.c).
fn read_pages(raw: &OwnedFd, room: &mut [u8], size: usize) -> Result<usize, Errno> {
    let count = room.len().div_ceil(size.max(1));
    let mut parts = room.chunks_mut(size.max(1));
    let mut parts: [_; TOGETHER] = array::from_fn(|_| IoSliceMut::new(parts.next().unwrap_or_default()));
    rustix::io::readv(raw, parts.get_mut(..count).unwrap_or_default())
}

/// Returns the text of `stats` of each CPU of an instance.
pub(crate) fn stats(instance: &Directory) -> Result<Vec<(u32, String)>, TracefsError> {
    let mut texts = Vec::new();
    for cpu in cpu_numbers(instance)? {
        texts.push((cpu, instance.read_to_string(&format!("per_cpu/cpu{cpu}/stats"))?));
    }
    Ok(texts)
}

/// Returns the number of records that each CPU counted as lost, by the texts of their `stats`.
pub(crate) fn lost(texts: &[(u32, String)]) -> Vec<(u32, u64)> {
    texts.iter().map(|(cpu, text)| (*cpu, stats::lost(text).unwrap_or(0))).collect()
}

/// Returns how full the fullest ring is, in percent, by the texts of `stats` and of `buffer_size_kb`.
pub(crate) fn fullest(texts: &[(u32, String)], size: &str) -> u64 {
    let size = stats::ring_bytes(size).unwrap_or(USUAL_RING_BYTES).max(1);
    let used = texts.iter().filter_map(|(_, text)| stats::bytes(text)).max().unwrap_or(0);
    used.saturating_mul(100).div_ceil(size).min(100)
}

/// Returns the number of records that the rings hold, by the texts of their `stats`.
pub(crate) fn held(texts: &[(u32, String)]) -> u64 {
    texts.iter().filter_map(|(_, text)| stats::entries(text)).sum()
}

/// Returns the latest time of the clock, in nanoseconds, by the texts of `stats`.
pub(crate) fn now(texts: &[(u32, String)]) -> Option<u64> {
    texts.iter().filter_map(|(_, text)| stats::now(text)).max()
}

/// Returns what each CPU that keeps its newest records has overwritten, and the number of those that it lost otherwise, by
/// the texts of their `stats`.
pub(crate) fn overwritten(texts: &[(u32, String)]) -> (ByCpu<Overwritten>, ByCpu<u64>) {
    let overwritten =
        texts.iter().filter_map(|(cpu, text)| Some((*cpu, stats::overwritten(text)?))).collect();
    let lost = texts.iter().map(|(cpu, text)| (*cpu, stats::lost_beside_overwritten(text).unwrap_or(0)));
    (overwritten, lost.collect())
}

/// Returns the number of records that each CPU has overwritten, by the texts of their `stats`.
pub(crate) fn overruns(texts: &[(u32, String)]) -> BTreeMap<u32, u64> {
    let overruns = |text: &str| stats::overwritten(text).map_or(0, |overwritten| overwritten.records);
    texts.iter().map(|(cpu, text)| (*cpu, overruns(text))).collect()
}

fn cpu_numbers(instance: &Directory) -> Result<Vec<u32>, TracefsError> {
    let entries = instance.list("per_cpu")?;
    let mut numbers: Vec<u32> =
        entries.iter().filter_map(|entry| entry.name.strip_prefix("cpu")?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

fn has_buffer(raw: BorrowedFd<'_>) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut fds = [PollFd::from_borrowed_fd(raw, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut fds, Some(&now)).is_ok() && !fds[0].revents().contains(PollFlags::ERR)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use tracec_kernel::page::{Lost, Page, PageBuilder};

    use super::super::testing::page;
    use super::*;

    /// The size of a ring that is as large as it should never be in memory.
    const LARGE: u64 = 256 << 20;

    /// Returns a ring of one CPU with pages, which are read as those of a kernel are.
    fn ring(pages: &[Vec<u8>], bytes_per_cpu: u64) -> Ring {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&pages.concat()).unwrap();
        std::io::Seek::rewind(&mut file).unwrap();
        // As many are expected as are read by one call.
        let cpus = vec![Cpu { number: 3, raw: file.into(), pages: 4 * TOGETHER }];
        let readable = epoll::create(epoll::CreateFlags::CLOEXEC).unwrap();
        let layout = PageLayout::default();
        Ring { cpus, readable, layout, bytes_per_cpu, usual: 0, damaged: Vec::new(), failure: None }
    }

    /// Returns a page that is full.
    fn full(time: u64) -> Vec<u8> {
        let mut builder = PageBuilder::new(PageLayout::default());
        while builder.add(time, &[0; 100]) {}
        let mut page = Vec::new();
        builder.take(Lost::None, &mut page);
        page.resize(4096, 0);
        page
    }

    #[test]
    fn pass_over_a_large_ring_takes_a_part_of_it_and_asks_for_the_next_at_once() {
        let pages: Vec<Vec<u8>> = (0..3000).map(full).collect();
        let mut ring = ring(&pages, LARGE);
        let (mut spare, mut count, mut passes, mut records) = (Pass::default(), 0, 0, 0);
        loop {
            let (pass, fill) = ring.drain_into(spare).unwrap();
            assert!(pass.bytes() as u64 <= MOST_AT_ONCE + (TOGETHER * 4096) as u64, "{}", pass.bytes());
            (count, passes, records) = (count + pass.pages().count(), passes + 1, records + pass.records());
            if pass.is_all() {
                assert!(fill < Fill::FULL);
                break;
            }
            assert_eq!(fill, Fill::FULL, "something is left");
            spare = pass.emptied();
        }
        let each = Page::new(&PageLayout::default(), &full(0)).unwrap().entries().count() as u64;
        assert_eq!((count, passes, records), (3000, 3, 3000 * each));
        assert_eq!(ring.passes(), 64);
    }

    #[test]
    fn pages_of_other_cpus_are_kept_where_one_cannot_be_read() {
        let mut ring = ring(&[full(10), page(&[20], None)], LARGE);
        // Reading a directory fails.
        let raw = std::fs::File::open(".").unwrap().into();
        ring.cpus.push(Cpu { number: 7, raw, pages: 0 });
        let (pass, fill) = ring.drain_into(Pass::default()).unwrap();
        assert_eq!((pass.pages().count(), pass.newest(), fill), (2, 20, Fill::FULL));
        assert!(!pass.is_all());
        let failed = |outcome| matches!(outcome, Err(Failure::Read { cpu: 7, errno: Errno::ISDIR }));
        assert!(failed(ring.drain_into(Pass::default())));
        assert!(failed(ring.drain_into(Pass::default())), "it stays so");
    }

    #[test]
    fn damaged_page_costs_its_own_records_alone_and_is_counted() {
        let damaged = || {
            let mut page = full(50);
            // A length that no entry has.
            page[16..20].copy_from_slice(&[0xfc, 0xff, 0xff, 0xff]);
            page
        };
        assert!(Page::new(&PageLayout::default(), &damaged()).unwrap().entries().any(|entry| entry.is_err()));
        let pages = [full(10), damaged(), damaged(), full(70), page(&[80], None)];
        let (pass, _) = ring(&pages, LARGE).drain_into(Pass::default()).unwrap();
        let layout = PageLayout::default();
        let found = pass.pages().map(|(lane, cpu, bytes)| {
            let page = Page::new(&layout, bytes).unwrap();
            assert_eq!((lane, cpu), (0, 3));
            let first = page.entries().next().map(|entry| entry.unwrap().timestamp);
            (first, page.lost())
        });
        let lost = (None, Lost::Unknown);
        let expected = [(Some(10), Lost::None), lost, lost, (Some(70), Lost::None), (Some(80), Lost::None)];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        let each = Page::new(&layout, &full(0)).unwrap().entries().count() as u64;
        assert_eq!((pass.records(), pass.newest(), pass.is_all()), (2 * each + 1, 80, true));

        let mut ring = ring(&pages, LARGE);
        // Also where all is read at once, as for a snapshot and for a watch.
        assert_eq!(ring.drain().unwrap().newest(), 80);
        assert!(matches!(ring.damaged(), [Damaged { cpu: 3, pages: 2, .. }]), "{:?}", ring.damaged());
    }
}
