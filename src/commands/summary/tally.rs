//! The counts of a recording.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::io::{Read, Seek};

use tracec_kernel::page::Lost;
use tracec_runtime::record::{Damage, Events, Item, Losses};
use tracec_runtime::sink::Ring;

/// What is counted of the records of a recording.
#[derive(Debug, Default)]
pub(super) struct Tally {
    /// The rings: those of the recording, with or without records.
    pub(super) rings: BTreeMap<Ring, OfRing>,
    /// The number of records of each event, by its id, with its name.
    events: HashMap<u16, (String, u64)>,
    /// The number of records of each task, by its id, with its name.
    tasks: HashMap<i32, (Vec<u8>, u64)>,
    /// The longest gaps; the shortest of them is on top.
    gaps: BinaryHeap<Reverse<Gap>>,
    /// How many gaps are kept.
    top: usize,
}

/// What is counted of a ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct OfRing {
    /// Records of known events.
    pub(super) records: u64,
    /// Records of unknown events.
    pub(super) unknown: u64,
    /// Lost records that were counted.
    pub(super) lost: u64,
    /// Losses whose size is unknown.
    pub(super) uncounted: u64,
    /// The times of the first and the last record, those of unknown events included.
    pub(super) period: Option<Period>,
    /// Whether records were lost since the last one.
    pub(super) has_lost: bool,
}

/// The number of records of a task.
#[derive(Clone, Copy, Debug)]
pub(super) struct OfTask<'t> {
    pub(super) pid: i32,
    pub(super) comm: &'t [u8],
    pub(super) records: u64,
}

/// The time between two records, which belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Period {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// A time between two records of a ring that follow each other.
///
/// The longer one is greater; of equal ones the earlier, since that is the first to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Gap {
    pub(super) length: u64,
    /// The time of the record before it.
    pub(super) begin: Reverse<u64>,
    pub(super) ring: Reverse<Ring>,
    /// Whether the ring lost records in it.
    pub(super) has_lost: bool,
}

impl Period {
    pub(super) fn length(self) -> u64 {
        self.last - self.first
    }

    /// Returns the least period that has both.
    fn with(self, other: Period) -> Period {
        Period { first: self.first.min(other.first), last: self.last.max(other.last) }
    }
}

impl OfRing {
    /// Adds the counts of another ring.
    fn with(self, other: OfRing) -> OfRing {
        let period = match (self.period, other.period) {
            (Some(one), Some(other)) => Some(one.with(other)),
            (one, other) => one.or(other),
        };
        OfRing {
            records: self.records + other.records,
            unknown: self.unknown + other.unknown,
            lost: self.lost.saturating_add(other.lost),
            uncounted: self.uncounted + other.uncounted,
            period,
            has_lost: false,
        }
    }
}

impl Tally {
    /// Creates the counts of rings, of which the `top` longest gaps are kept.
    pub(super) fn new(rings: impl IntoIterator<Item = Ring>, top: usize) -> Self {
        let rings = rings.into_iter().map(|ring| (ring, OfRing::default())).collect();
        Tally { rings, top, ..Tally::default() }
    }

    /// Counts all records, and adds the places that cannot be read.
    pub(super) fn read<R: Read + Seek>(&mut self, events: &mut Events<'_, R>, damage: &mut Damage) {
        while let Some(item) = events.next_item().transpose() {
            let item = match item {
                Ok(item) => item,
                Err(error) => {
                    damage.add(0, error);
                    continue;
                }
            };
            match item {
                Item::Event(event) => {
                    self.pass(event.ring, event.timestamp).records += 1;
                    let format = event.record.format;
                    let of_event = self.events.entry(format.id);
                    of_event.or_insert_with(|| (format.qualified_name(), 0)).1 += 1;
                    self.tasks.entry(event.pid()).or_insert_with(|| (event.comm.to_vec(), 0)).1 += 1;
                }
                Item::Lost { ring, lost } => self.lose(ring, lost),
                Item::Unknown { ring, timestamp, .. } => self.pass(ring, timestamp).unknown += 1,
            }
        }
    }

    /// Takes note of how many records rings have lost as these counted them.
    pub(super) fn state(&mut self, stated: impl IntoIterator<Item = (Ring, u64)>) {
        for (ring, all) in stated {
            if let Some(of_ring) = self.rings.get_mut(&ring) {
                let mut losses = Losses { counted: of_ring.lost, uncounted: of_ring.uncounted };
                losses.state(all);
                (of_ring.lost, of_ring.uncounted) = (losses.counted, losses.uncounted);
            }
        }
    }

    fn lose(&mut self, ring: Ring, lost: Lost) {
        let of_ring = self.rings.entry(ring).or_default();
        match lost {
            Lost::None => return,
            Lost::Unknown => of_ring.uncounted += 1,
            Lost::Count(count) => of_ring.lost = of_ring.lost.saturating_add(count),
        }
        of_ring.has_lost = true;
    }

    /// Notes the time of a record, and returns the counts of its ring.
    fn pass(&mut self, ring: Ring, timestamp: u64) -> &mut OfRing {
        let of_ring = self.rings.entry(ring).or_default();
        let own = Period { first: timestamp, last: timestamp };
        if let Some(before) = of_ring.period
            && timestamp > before.last
        {
            let (begin, ring) = (Reverse(before.last), Reverse(ring));
            let gap = Gap { length: timestamp - before.last, begin, ring, has_lost: of_ring.has_lost };
            if self.gaps.len() < self.top {
                self.gaps.push(Reverse(gap));
            } else if let Some(mut shortest) = self.gaps.peek_mut()
                && gap > shortest.0
            {
                *shortest = Reverse(gap);
            }
        }
        of_ring.period = Some(of_ring.period.map_or(own, |period| period.with(own)));
        of_ring.has_lost = false;
        of_ring
    }

    /// Returns the counts of all rings together.
    pub(super) fn all(&self) -> OfRing {
        self.rings.values().copied().fold(OfRing::default(), OfRing::with)
    }

    /// Returns the names of the events with the most records, most first, and the number of all events with records.
    pub(super) fn events(&self) -> (Vec<(&str, u64)>, usize) {
        let mut events: Vec<(&str, u64)> =
            self.events.values().map(|(name, count)| (name.as_str(), *count)).collect();
        events.sort_unstable_by_key(|&(name, count)| (Reverse(count), name));
        let all = events.len();
        events.truncate(self.top);
        (events, all)
    }

    /// Returns the tasks with the most records, most first, and the number of all tasks with records.
    pub(super) fn tasks(&self) -> (Vec<OfTask<'_>>, usize) {
        let each = self.tasks.iter();
        let mut tasks: Vec<OfTask<'_>> =
            each.map(|(&pid, (comm, records))| OfTask { pid, comm, records: *records }).collect();
        tasks.sort_unstable_by_key(|task| (Reverse(task.records), task.pid));
        let all = tasks.len();
        tasks.truncate(self.top);
        (tasks, all)
    }

    /// Returns the longest gaps, longest first.
    pub(super) fn gaps(&self) -> Vec<Gap> {
        let mut gaps: Vec<Gap> = self.gaps.iter().map(|gap| gap.0).collect();
        gaps.sort_unstable_by_key(|gap| Reverse(*gap));
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: Ring = Ring { buffer: 0, cpu: 1 };
    const OTHER: Ring = Ring { buffer: 1, cpu: 1 };

    /// Returns each gap.
    fn gaps(tally: &Tally) -> Vec<(Ring, u64, u64, bool)> {
        let of = |gap: Gap| (gap.ring.0, gap.begin.0, gap.length, gap.has_lost);
        tally.gaps().into_iter().map(of).collect()
    }

    #[test]
    fn longest_gaps_of_each_ring_are_kept() {
        let mut tally = Tally::new([ONE, OTHER], 3);
        for (ring, timestamp) in [(ONE, 10), (OTHER, 12), (ONE, 15), (ONE, 35), (OTHER, 36), (ONE, 40)] {
            tally.pass(ring, timestamp);
        }
        // Of the two gaps of 5 the earlier one is kept.
        assert_eq!(gaps(&tally), [(OTHER, 12, 24, false), (ONE, 15, 20, false), (ONE, 10, 5, false)]);
        assert_eq!(tally.all().period, Some(Period { first: 10, last: 40 }));
        assert_eq!(tally.rings[&OTHER].period.unwrap().length(), 24);
    }

    #[test]
    fn time_that_steps_back_is_not_a_gap() {
        let mut tally = Tally::new([ONE], 9);
        for timestamp in [50, 20, 30, 60] {
            tally.pass(ONE, timestamp);
        }
        assert_eq!(gaps(&tally), [(ONE, 50, 10, false)]);
        assert_eq!(tally.all().period, Some(Period { first: 20, last: 60 }));
    }

    #[test]
    fn loss_marks_the_gap_that_it_is_in() {
        let mut tally = Tally::new([ONE, OTHER], 9);
        tally.pass(ONE, 1);
        tally.lose(ONE, Lost::Count(u64::MAX));
        tally.lose(ONE, Lost::Count(2));
        tally.lose(OTHER, Lost::Unknown);
        tally.pass(ONE, 9);
        tally.pass(ONE, 10);
        assert_eq!(gaps(&tally), [(ONE, 1, 8, true), (ONE, 9, 1, false)]);
        let all = tally.all();
        assert_eq!((all.lost, all.uncounted), (u64::MAX, 1));
    }

    #[test]
    fn nothing_is_listed_where_nothing_is_asked_for() {
        let mut tally = Tally::new([ONE], 0);
        tally.pass(ONE, 1);
        tally.pass(ONE, 3);
        assert_eq!(gaps(&tally), []);
    }
}
