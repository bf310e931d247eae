//! Merges the records of several CPUs by time.
//!
//! The records of one CPU are in order. A record may be released once no CPU can still deliver an earlier one. The
//! buffers are read in passes. All that a pass reads and the previous pass did not read was written after the previous
//! pass began, so a record is safe if it is not newer than the newest record of the previous pass. A CPU that a pass
//! did not read to its end holds back all records that are newer than its own last one.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use tracec_kernel::page::{Lost, Page, PageError};
use tracec_kernel::selection::Selected;

use super::host::HostFilter;
use crate::sink::Ring;

/// What is to be released.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Due<'a> {
    /// A record.
    Record {
        /// The ring that it was in.
        ring: Ring,
        timestamp: u64,
        data: &'a [u8],
    },
    /// Records that were lost in a ring, between those before and behind.
    Lost { ring: Ring, lost: Lost },
}

#[derive(Debug)]
struct Held {
    timestamp: u64,
    /// The offset of its bytes in those of the lane.
    start: usize,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// A record of so many bytes.
    Record(usize),
    Lost(Lost),
}

/// The records of one CPU that are not released yet.
#[derive(Debug)]
struct Lane {
    cpu: u32,
    bytes: Vec<u8>,
    held: VecDeque<Held>,
    newest: u64,
    drained: bool,
}

/// A merge of the lanes of a session's CPUs. It holds the records of at most two passes.
#[derive(Debug)]
pub(crate) struct Merge {
    lanes: Vec<Lane>,
    /// The records of a page that are kept.
    kept: Vec<Selected>,
    /// The newest time stamp of the previous pass and all earlier ones.
    seen_before: u64,
}

impl Merge {
    /// Creates one lane for each of `cpus`. Methods refer to a lane by its index.
    pub(crate) fn new(cpus: impl IntoIterator<Item = u32>) -> Self {
        let lane = |cpu| Lane { cpu, bytes: Vec::new(), held: VecDeque::new(), newest: 0, drained: true };
        Merge { lanes: cpus.into_iter().map(lane).collect(), kept: Vec::new(), seen_before: 0 }
    }

    /// Adds the records of a page that a filter keeps. `lane` must be an index of a lane; others are ignored.
    ///
    /// # Errors
    /// The page is damaged. The records before the damage have been added.
    pub(crate) fn push(
        &mut self,
        lane: usize,
        page: &Page<'_>,
        filter: &mut HostFilter,
    ) -> Result<(), PageError> {
        let index = lane;
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(()) };
        if page.lost() != Lost::None {
            filter.lost(index);
            lane.hold(page.timestamp(), What::Lost(page.lost()));
        }
        let mut entries = page.entries();
        let walked = filter.keep(&mut entries, (index, lane.cpu), &mut self.kept);
        for kept in &self.kept {
            let record = kept.record(entries.bytes());
            lane.hold(kept.timestamp, What::Record(record.len()));
            lane.bytes.extend_from_slice(record);
        }
        // A clock may step back a little; the order of one CPU's records is kept nevertheless. A record that is dropped
        // shows too that those of others up to its time have been read.
        lane.newest = lane.newest.max(entries.timestamp());
        walked
    }

    /// Sets whether the CPU was read to its end in this pass.
    pub(crate) fn set_drained(&mut self, lane: usize, drained: bool) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.drained = drained;
        }
    }

    /// Ends a pass over live buffers and releases the records that are safe.
    pub(crate) fn end_pass<E>(&mut self, due: impl FnMut(Due<'_>) -> Result<(), E>) -> Result<(), E> {
        let seen_now = self.lanes.iter().map(|lane| lane.newest).max().unwrap_or(0);
        let behind = self.lanes.iter().filter(|lane| !lane.drained).map(|lane| lane.newest);
        let safe = behind.fold(self.seen_before, u64::min);
        self.seen_before = seen_now;
        self.release(safe, due)
    }

    /// Releases all records: nothing more is read.
    pub(crate) fn release_all<E>(&mut self, due: impl FnMut(Due<'_>) -> Result<(), E>) -> Result<(), E> {
        self.release(u64::MAX, due)
    }

    /// Releases the records with a time stamp up to `last`, oldest first; of equal ones the lower lane's first.
    ///
    /// If `due` returns an error, its record counts as released.
    fn release<E>(&mut self, last: u64, mut due: impl FnMut(Due<'_>) -> Result<(), E>) -> Result<(), E> {
        let first = |(index, lane): (usize, &Lane)| Some(Reverse((lane.held.front()?.timestamp, index)));
        let mut order: BinaryHeap<_> = self.lanes.iter().enumerate().filter_map(first).collect();
        let mut outcome = Ok(());
        while let Some(Reverse((timestamp, index))) = order.pop() {
            if timestamp > last || outcome.is_err() {
                break;
            }
            let Some(lane) = self.lanes.get_mut(index) else { continue };
            let Some(held) = lane.held.pop_front() else { continue };
            let ring = Ring { buffer: 0, cpu: lane.cpu };
            outcome = due(match held.what {
                What::Lost(lost) => Due::Lost { ring, lost },
                What::Record(length) => {
                    let data = lane.bytes.get(held.start..held.start + length).unwrap_or(&[]);
                    Due::Record { ring, timestamp, data }
                }
            });
            if let Some(next) = lane.held.front() {
                order.push(Reverse((next.timestamp, index)));
            }
        }
        self.lanes.iter_mut().for_each(Lane::compact);
        outcome
    }
}

impl Lane {
    /// Holds a record whose bytes follow those that it has, or a loss.
    fn hold(&mut self, timestamp: u64, what: What) {
        self.held.push_back(Held { timestamp, start: self.bytes.len(), what });
    }

    /// Removes the bytes of released records.
    fn compact(&mut self) {
        let Some(done) = self.held.front().map(|held| held.start) else {
            self.bytes.clear();
            return;
        };
        // Moving the rest is cheap only when it is the smaller part.
        if done > self.bytes.len() / 2 {
            self.bytes.drain(..done);
            self.held.iter_mut().for_each(|held| held.start -= done);
        }
    }
}

/// Returns the sum of two losses.
pub(crate) fn plus(a: Lost, b: Lost) -> Lost {
    match (a, b) {
        (Lost::None, other) | (other, Lost::None) => other,
        (Lost::Count(a), Lost::Count(b)) => Lost::Count(a.saturating_add(b)),
        (Lost::Unknown, _) | (_, Lost::Unknown) => Lost::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tracec_kernel::page::PageLayout;

    use super::*;
    use crate::record::testing::{LAYOUT, page};

    fn push(merge: &mut Merge, lane: usize, times: &[u64], lost: Option<u64>) {
        let bytes = page(times, lost);
        let page = Page::new(&layout(), &bytes).unwrap();
        merge.push(lane, &page, &mut HostFilter::default()).unwrap();
    }

    fn layout() -> PageLayout {
        PageLayout::parse(LAYOUT).unwrap()
    }

    fn pass(merge: &mut Merge) -> Vec<(u64, u32)> {
        let mut out = Vec::new();
        merge
            .end_pass(|due| {
                let Due::Record { timestamp, ring, .. } = due else { panic!("{due:?}") };
                out.push((timestamp, ring.cpu));
                Ok::<(), ()>(())
            })
            .unwrap();
        out
    }

    fn rest(merge: &mut Merge) -> Vec<(u64, u32)> {
        let mut out = Vec::new();
        merge
            .release_all(|due| {
                let Due::Record { timestamp, ring, .. } = due else { panic!("{due:?}") };
                out.push((timestamp, ring.cpu));
                Ok::<(), ()>(())
            })
            .unwrap();
        out
    }

    #[test]
    fn record_is_released_by_the_pass_after_the_one_that_read_it() {
        let mut merge = Merge::new([0, 1]);
        push(&mut merge, 0, &[10, 30], None);
        assert_eq!(pass(&mut merge), []);
        push(&mut merge, 1, &[20, 40], None);
        assert_eq!(pass(&mut merge), [(10, 0), (20, 1), (30, 0)]);
        assert_eq!(pass(&mut merge), [(40, 1)]);
        assert_eq!(rest(&mut merge), []);
    }

    #[test]
    fn cpu_that_was_not_drained_holds_back_newer_records() {
        let mut merge = Merge::new([0, 1]);
        push(&mut merge, 0, &[10, 50], None);
        push(&mut merge, 1, &[20], None);
        merge.set_drained(1, false);
        assert_eq!(pass(&mut merge), []);
        assert_eq!(pass(&mut merge), [(10, 0), (20, 1)]);
        push(&mut merge, 1, &[30], None);
        merge.set_drained(1, true);
        assert_eq!(pass(&mut merge), [(30, 1), (50, 0)]);
    }

    #[test]
    fn loss_is_released_before_the_record_that_follows_it() {
        let mut merge = Merge::new([3]);
        push(&mut merge, 0, &[], Some(5));
        push(&mut merge, 0, &[1, 2], Some(7));
        push(&mut merge, 0, &[], Some(1));
        let mut released = Vec::new();
        merge
            .release_all(|due| {
                released.push(match due {
                    Due::Record { timestamp, .. } => (timestamp, Lost::None),
                    Due::Lost { ring: Ring { buffer: 0, cpu: 3 }, lost } => (0, lost),
                    Due::Lost { .. } => panic!("{due:?}"),
                });
                Ok::<(), ()>(())
            })
            .unwrap();
        let lost = |count| (0, Lost::Count(count));
        assert_eq!(released, [lost(5), lost(7), (1, Lost::None), (2, Lost::None), lost(1)]);
    }

    #[test]
    fn records_after_an_error_are_released_later() {
        let mut merge = Merge::new([0]);
        push(&mut merge, 0, &[1, 2, 3], None);
        let mut calls = 0;
        let stopped = merge.release_all(|_| {
            calls += 1;
            if calls == 2 { Err("full") } else { Ok(()) }
        });
        assert_eq!(stopped, Err("full"));
        assert_eq!(rest(&mut merge), [(3, 0)]);
    }

    #[test]
    fn unknown_lane_is_ignored() {
        let mut merge = Merge::new([]);
        push(&mut merge, 7, &[1], None);
        assert_eq!(rest(&mut merge), []);
    }

    /// Returns records of up to three CPUs, and the times of the passes.
    fn history() -> impl Strategy<Value = (Vec<Vec<u64>>, Vec<u64>)> {
        let cpu = prop::collection::vec(0u64..200, 0..30);
        (prop::collection::vec(cpu, 1..4), prop::collection::vec(0u64..200, 0..6))
    }

    proptest! {
        #[test]
        fn records_read_in_passes_are_released_in_order((mut cpus, mut looks) in history()) {
            cpus.iter_mut().for_each(|times| times.sort_unstable());
            looks.sort_unstable();
            looks.push(u64::MAX);
            let mut merge = Merge::new(0..cpus.len() as u32);
            let mut out = Vec::new();
            let mut from = 0;
            for look in looks {
                for (lane, times) in cpus.iter().enumerate() {
                    let new: Vec<u64> =
                        times.iter().copied().filter(|&t| (t >= from || from == 0) && t < look).collect();
                    push(&mut merge, lane, &new, None);
                }
                out.extend(pass(&mut merge));
                from = look.max(1);
                if look == 0 {
                    from = 0;
                }
            }
            out.extend(rest(&mut merge));
            let mut expected: Vec<(u64, u32)> = Vec::new();
            for (cpu, times) in cpus.iter().enumerate() {
                expected.extend(times.iter().map(|&t| (t, cpu as u32)));
            }
            expected.sort_unstable();
            let times: Vec<u64> = out.iter().map(|(t, _)| *t).collect();
            prop_assert!(times.is_sorted());
            out.sort_unstable();
            prop_assert_eq!(out, expected);
        }
    }
}
