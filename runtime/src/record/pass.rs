//! The raw pages that one pass over the rings has read.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use tracec_kernel::page::{Lost, Page, PageBuilder, PageError, PageLayout, forget_losses, note_losses};
use tracec_kernel::tables::limits::TASK_COMM_LEN;

use super::host::HostFilter;
use super::merge::Merge;

/// The offset of the thread id in a record, and its size (`struct trace_entry`, include/linux/trace_events.h).
const PID: (usize, usize) = (4, 4);

/// Pages that were read and are not yet parsed.
#[derive(Debug, Default)]
pub(crate) struct Pass {
    /// Its pages, and behind them room for more, which may have bytes of an earlier pass.
    bytes: Vec<u8>,
    /// The end of its pages.
    end: usize,
    pages: Vec<PageOf>,
    /// Whether each lane was read to its end.
    drained: Vec<bool>,
    records: u64,
    /// The time of the newest record.
    newest: u64,
    /// The names that tasks had when their records were made, where the source knows them.
    names: Vec<(i32, [u8; TASK_COMM_LEN])>,
    /// The threads of its records; some may stand there more than once.
    threads: Threads,
}

/// A page of a pass.
#[derive(Clone, Copy, Debug)]
struct PageOf {
    lane: usize,
    cpu: u32,
    /// The end of its bytes.
    end: usize,
    records: u64,
    /// Whether it takes the place of a damaged page, and only says that records were lost.
    is_mark: bool,
}

/// Where a page is in a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) lane: usize,
    pub(crate) cpu: u32,
    pub(crate) bytes: Range<usize>,
    pub(crate) records: u64,
}

/// The threads that have records.
#[derive(Debug)]
pub(crate) struct Threads {
    found: Vec<i32>,
    /// The last one of each remainder, so that few are found more than once.
    last: [i32; Threads::REMEMBERED],
}

impl Default for Threads {
    fn default() -> Self {
        Threads { found: Vec::new(), last: [0; Threads::REMEMBERED] }
    }
}

impl Threads {
    /// A power of two.
    const REMEMBERED: usize = 64;

    /// Notes the thread of a record. Thread 0, which idles, is not one.
    pub(crate) fn note(&mut self, record: &[u8]) {
        let thread = record.get(PID.0..PID.0 + PID.1).and_then(<[u8]>::first_chunk);
        let thread = thread.map_or(0, |bytes| i32::from_ne_bytes(*bytes));
        if let Some(last) = self.last.get_mut(thread as usize % Threads::REMEMBERED)
            && *last != thread
        {
            *last = thread;
            self.found.push(thread);
        }
    }

    /// Takes those that were found since they were last taken.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = i32> {
        self.found.drain(..)
    }

    /// Forgets all.
    fn clear(&mut self) {
        self.found.clear();
        self.last = [0; Threads::REMEMBERED];
    }
}

/// Sizes of a page that was added, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Added {
    /// The used part.
    pub(crate) used: usize,
    /// The first record, without the words before it.
    pub(crate) first: usize,
}

/// Returns whether a page with a used part of this size is as good as full: it is not joined with others.
pub(crate) fn is_full(used: usize, layout: &PageLayout) -> bool {
    used > layout.size as usize / 4 * 3
}

impl Pass {
    /// Returns an empty pass that uses the memory of this one, which then need not be allocated and cleared again.
    pub(crate) fn emptied(mut self) -> Self {
        self.end = 0;
        self.pages.clear();
        self.drained.clear();
        self.names.clear();
        self.threads.clear();
        Pass { records: 0, newest: 0, ..self }
    }

    /// Adds the used part of a page, or all of one that is [full](is_full), and counts its records.
    ///
    /// # Errors
    /// A page that is damaged.
    pub(crate) fn add(
        &mut self,
        lane: usize,
        cpu: u32,
        bytes: &[u8],
        layout: &PageLayout,
    ) -> Result<Added, PageError> {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.add_read((lane, cpu), self.end..self.end + bytes.len(), layout)
    }

    /// Returns the offset of the room behind its pages, where others can be read to before they are
    /// [added](Pass::add_read).
    pub(crate) fn end(&self) -> usize {
        self.end
    }

    /// Returns so many bytes of the room behind its pages.
    pub(crate) fn room(&mut self, size: usize) -> &mut [u8] {
        let end = self.end + size;
        if self.bytes.len() < end {
            // The length grows as the memory does, so that little is cleared.
            self.bytes.reserve(end - self.bytes.len());
            self.bytes.resize(end.max(self.bytes.capacity()), 0);
        }
        self.bytes.get_mut(self.end..end).unwrap_or_default()
    }

    /// Adds a page that was read to a place in its room, and counts its records. Behind the used part of a full page are
    /// zeros to its size, so that successive ones can be written to a file at once.
    ///
    /// # Errors
    /// As [`add`](Pass::add).
    pub(crate) fn add_read(
        &mut self,
        (lane, cpu): (usize, u32),
        place: Range<usize>,
        layout: &PageLayout,
    ) -> Result<Added, PageError> {
        let (before, newest) = (self.records, self.newest);
        let added = self.counted(place.clone(), layout).inspect_err(|_| {
            (self.records, self.newest) = (before, newest);
        })?;
        let (start, used) = (self.end, self.end + added.used);
        if place.start != start {
            self.bytes.copy_within(place.start..place.start + added.used, start);
        }
        self.end = used;
        if is_full(added.used, layout) {
            self.end = start + layout.size as usize;
            if self.bytes.len() < self.end {
                self.bytes.resize(self.end, 0);
            }
            self.bytes.get_mut(used..self.end).unwrap_or_default().fill(0);
        }
        self.pages.push(PageOf { lane, cpu, end: self.end, records: self.records - before, is_mark: false });
        Ok(added)
    }

    /// Notes that records of a lane were lost behind those that were added, an unknown number: a page without records that says
    /// so.
    pub(crate) fn add_lost(&mut self, (lane, cpu): (usize, u32), layout: &PageLayout) {
        let mut page = Vec::new();
        // A time that keeps no record of another lane waiting or from it.
        PageBuilder::empty(*layout, 0, Lost::Unknown, &mut page);
        self.room(page.len()).copy_from_slice(&page);
        self.end += page.len();
        self.pages.push(PageOf { lane, cpu, end: self.end, records: 0, is_mark: true });
    }

    /// Counts the records of the page at a place.
    fn counted(&mut self, place: Range<usize>, layout: &PageLayout) -> Result<Added, PageError> {
        let page = Page::new(layout, self.bytes.get(place).unwrap_or_default())?;
        let mut first = None;
        for entry in page.entries() {
            let entry = entry?;
            first = first.or(Some(entry.data.len()));
            self.threads.note(entry.data);
            self.newest = self.newest.max(entry.timestamp);
            self.records += 1;
        }
        Ok(Added { used: page.used(), first: first.unwrap_or(0) })
    }

    /// Adds a pass over further lanes, after those of this one.
    pub(crate) fn append(&mut self, other: Pass) {
        let (start, lanes) = (self.end, self.drained.len());
        let bytes = other.bytes.get(..other.end).unwrap_or_default();
        self.room(bytes.len()).copy_from_slice(bytes);
        self.end += bytes.len();
        let further = other.pages.into_iter();
        let further = further.map(|page| PageOf { lane: lanes + page.lane, end: start + page.end, ..page });
        self.pages.extend(further);
        self.drained.extend(other.drained);
        self.records += other.records;
        self.newest = self.newest.max(other.newest);
        self.names.extend(other.names);
        self.threads.found.extend(other.threads.found);
    }

    /// Notes the name of a task.
    pub(crate) fn name(&mut self, task: i32, comm: [u8; TASK_COMM_LEN]) {
        self.names.push((task, comm));
    }

    /// Returns the tasks whose names are known, up to the first NUL of each.
    pub(crate) fn names(&self) -> impl Iterator<Item = (i32, &[u8])> {
        let text = |comm: &'_ [u8; TASK_COMM_LEN]| comm.iter().position(|byte| *byte == 0);
        self.names.iter().map(move |(task, comm)| {
            let end = text(comm).unwrap_or(TASK_COMM_LEN);
            (*task, comm.get(..end).unwrap_or_default())
        })
    }

    /// Notes whether the next lane was read to its end.
    pub(crate) fn end_lane(&mut self, drained: bool) {
        self.drained.push(drained);
    }

    /// Returns its pages: the lane and the CPU of each, and its bytes.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (usize, u32, &[u8])> {
        self.places().map(|Placed { lane, cpu, bytes, .. }| (lane, cpu, self.part(bytes)))
    }

    /// Returns where its pages are.
    pub(crate) fn places(&self) -> impl Iterator<Item = Placed> {
        let mut start = 0;
        self.pages.iter().map(move |&PageOf { lane, cpu, end, records, .. }| {
            let bytes = std::mem::replace(&mut start, end)..end;
            Placed { lane, cpu, bytes, records }
        })
    }

    /// Returns the threads of its records; some may stand there more than once.
    pub(crate) fn threads(&self) -> &[i32] {
        &self.threads.found
    }

    /// Returns the bytes of a place, which may be that of successive pages.
    pub(crate) fn part(&self, place: Range<usize>) -> &[u8] {
        self.bytes.get(place).unwrap_or_default()
    }

    /// Returns whether every lane was read to its end.
    pub(crate) fn is_all(&self) -> bool {
        self.drained.iter().all(|drained| *drained)
    }

    /// Returns whether nothing was read.
    pub(crate) fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the size of its pages in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.end
    }

    /// Returns whether the page at an index only says that records were lost, since it is damaged.
    fn is_mark(&self, index: usize) -> bool {
        self.pages.get(index).is_some_and(|page| page.is_mark)
    }

    /// Forgets that records were lost before its pages: a ring that keeps the newest records has overwritten the others.
    /// Those of damaged pages were not overwritten.
    fn forget_losses(&mut self, layout: &PageLayout) {
        let mut start = 0;
        for &PageOf { end, is_mark, .. } in &self.pages {
            if let Some(page) = self.bytes.get_mut(start..end).filter(|_| !is_mark) {
                forget_losses(layout, page);
            }
            start = end;
        }
    }

    /// Returns the lanes that have pages.
    pub(crate) fn lanes(&self) -> BTreeSet<usize> {
        self.pages.iter().map(|page| page.lane).collect()
    }

    /// Notes that records were lost before the first page of some lanes, an unknown number.
    pub(crate) fn note_losses(&mut self, lanes: impl Fn(usize) -> bool, layout: &PageLayout) {
        let (mut start, mut seen) = (0, BTreeSet::new());
        for &PageOf { lane, end, .. } in &self.pages {
            if let (true, Some(page)) = (seen.insert(lane) && lanes(lane), self.bytes.get_mut(start..end)) {
                note_losses(layout, page);
            }
            start = end;
        }
    }

    /// Returns the pages of some lanes that have a record after a time, as a pass in which no lane was read to its end.
    ///
    /// # Errors
    /// A page that is damaged, with its CPU.
    pub(crate) fn after(
        &self,
        time: u64,
        lanes: impl Fn(usize) -> bool,
        layout: &PageLayout,
    ) -> Result<Pass, (u32, PageError)> {
        let mut pass = Pass { drained: vec![false; self.drained.len()], ..Pass::default() };
        for (lane, cpu, bytes) in self.pages().filter(|(lane, ..)| lanes(*lane)) {
            let damaged = |error| (cpu, error);
            let page = Page::new(layout, bytes).map_err(damaged)?;
            let newest = page.entries().last().transpose().map_err(damaged)?;
            if newest.is_some_and(|newest| newest.timestamp > time) {
                pass.add(lane, cpu, bytes, layout).map_err(damaged)?;
            }
        }
        Ok(pass)
    }

    /// Returns the time of its newest record.
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// Returns the number of records in its pages.
    pub(crate) fn records(&self) -> u64 {
        self.records
    }

    /// Adds the records of its pages that a filter keeps to a merge with the same lanes.
    ///
    /// # Errors
    /// A page that is damaged, with its CPU.
    pub(crate) fn push_into(
        &self,
        merge: &mut Merge,
        filter: &mut HostFilter,
        layout: &PageLayout,
    ) -> Result<(), (u32, PageError)> {
        for (lane, cpu, bytes) in self.pages() {
            let page = Page::new(layout, bytes);
            page.and_then(|page| merge.push(lane, &page, filter)).map_err(|error| (cpu, error))?;
        }
        self.drained.iter().enumerate().for_each(|(lane, drained)| merge.set_drained(lane, *drained));
        Ok(())
    }
}

/// Leaves out what stands before the last records that a lane has lost: a ring that keeps its newest records has overwritten
/// those, and gives the rest of the page that was read before first (`rb_get_reader_page`, kernel/trace/ring_buffer.c).
/// Returns the time at which each such lane begins then. Losses are forgotten.
///
/// # Errors
/// A page that is damaged, with its CPU.
pub(crate) fn since_losses(
    passes: &mut [Pass],
    layout: &PageLayout,
) -> Result<BTreeMap<usize, u64>, (u32, PageError)> {
    let mut last: BTreeMap<usize, ((usize, usize), u64)> = BTreeMap::new();
    for (number, pass) in passes.iter().enumerate() {
        for (index, (lane, cpu, bytes)) in pass.pages().enumerate() {
            let page = Page::new(layout, bytes).map_err(|error| (cpu, error))?;
            if page.lost() != Lost::None && !pass.is_mark(index) {
                last.insert(lane, ((number, index), page.timestamp()));
            }
        }
    }
    if last.is_empty() {
        return Ok(BTreeMap::new());
    }
    for (number, pass) in passes.iter_mut().enumerate() {
        let mut rest = Pass { drained: pass.drained.clone(), names: pass.names.clone(), ..Pass::default() };
        for (index, (lane, cpu, bytes)) in pass.pages().enumerate() {
            if last.get(&lane).is_some_and(|(from, _)| (number, index) < *from) {
                continue;
            }
            if pass.is_mark(index) {
                rest.add_lost((lane, cpu), layout);
            } else {
                rest.add(lane, cpu, bytes, layout).map_err(|error| (cpu, error))?;
            }
        }
        rest.forget_losses(layout);
        *pass = rest;
    }
    Ok(last.into_iter().map(|(lane, (_, time))| (lane, time)).collect())
}

#[cfg(test)]
mod tests {
    use super::super::merge::Due;
    use super::super::testing::{LAYOUT, page};
    use super::*;

    fn layout() -> PageLayout {
        PageLayout::parse(LAYOUT).unwrap()
    }

    #[test]
    fn pass_counts_its_records_and_gives_its_pages_to_their_lanes() {
        let mut pass = Pass::default();
        assert!(pass.is_empty() && pass.is_all());
        pass.add(0, 4, &page(&[10, 30], None), &layout()).unwrap();
        pass.add(0, 4, &page(&[50], Some(7)), &layout()).unwrap();
        pass.end_lane(false);
        pass.add(1, 6, &page(&[20], None), &layout()).unwrap();
        pass.end_lane(true);
        // Of a page that is not full only the used part is kept: header, records, the number of those lost.
        assert_eq!((pass.records(), pass.bytes()), (4, 3 * 16 + 4 * 12 + 8));
        assert!(!pass.is_empty() && !pass.is_all());

        let mut merge = Merge::new([4, 6]);
        pass.push_into(&mut merge, &mut HostFilter::default(), &layout()).unwrap();
        let mut released = Vec::new();
        let all = merge.release_all(|due| {
            released.push(match due {
                Due::Record { timestamp, ring, .. } => (timestamp, ring.cpu),
                Due::Lost { ring, .. } => (0, ring.cpu),
            });
            Ok::<(), ()>(())
        });
        assert_eq!(all, Ok(()));
        assert_eq!(released, [(10, 4), (20, 6), (30, 4), (0, 4), (50, 4)]);
    }

    #[test]
    fn pages_that_are_read_together_stand_one_behind_the_other() {
        let mut pass = Pass::default();
        pass.add(3, 9, &page(&[1; 200], Some(1)), &layout()).unwrap();
        let before = pass.part(0..pass.bytes()).to_vec();
        // The memory is used again, and nothing that was in it is in the pass.
        let mut pass = pass.emptied();
        assert!(pass.is_empty() && pass.is_all() && pass.threads().is_empty());
        let (first, second) = (page(&[10, 30], None), page(&[50], None));
        let start = pass.end();
        let room = pass.room(2 * 4096);
        assert!(before.len() <= room.len() && room.starts_with(&before));
        room.copy_from_slice(&[&first[..], &second].concat());
        for place in [start..start + 4096, start + 4096..start + 2 * 4096] {
            pass.add_read((0, 4), place, &layout()).unwrap();
        }
        pass.end_lane(true);
        assert_eq!((pass.records(), pass.bytes(), pass.newest()), (3, 2 * 16 + 3 * 12, 50));
        let pages: Vec<_> = pass.pages().map(|(lane, cpu, bytes)| (lane, cpu, bytes.to_vec())).collect();
        assert_eq!(pages, [(0, 4, first[..16 + 2 * 12].to_vec()), (0, 4, second[..16 + 12].to_vec())]);
    }

    #[test]
    fn pass_over_further_lanes_is_added_behind_the_others() {
        let (mut pass, mut other) = (Pass::default(), Pass::default());
        pass.add(0, 4, &page(&[10, 40], None), &layout()).unwrap();
        pass.end_lane(true);
        other.end_lane(true);
        other.add(1, 4, &page(&[20], None), &layout()).unwrap();
        other.end_lane(false);
        pass.append(other);
        assert_eq!((pass.records(), pass.is_all()), (3, false));

        let mut merge = Merge::new([4, 0, 4]);
        pass.push_into(&mut merge, &mut HostFilter::default(), &layout()).unwrap();
        let mut released = Vec::new();
        let all = merge.release_all(|due| {
            if let Due::Record { timestamp, .. } = due {
                released.push(timestamp);
            }
            Ok::<(), ()>(())
        });
        assert_eq!((all, released), (Ok(()), vec![10, 20, 40]));
    }

    fn times(pass: &Pass) -> Vec<(usize, u64)> {
        let of_page = |(lane, _, bytes)| {
            let page = Page::new(&layout(), bytes).unwrap();
            page.entries().map(move |entry| (lane, entry.unwrap().timestamp)).collect::<Vec<_>>()
        };
        pass.pages().flat_map(of_page).collect()
    }

    #[test]
    fn what_stands_before_overwritten_records_is_left_out() {
        let mut pass = Pass::default();
        // What was left of a page that was read before.
        pass.add(0, 4, &page(&[10, 20], None), &layout()).unwrap();
        pass.add(0, 4, &page(&[500, 510], Some(7)), &layout()).unwrap();
        pass.add(0, 4, &page(&[520], None), &layout()).unwrap();
        pass.end_lane(true);
        pass.add(1, 6, &page(&[15], None), &layout()).unwrap();
        pass.end_lane(true);
        let mut passes = vec![pass];
        assert_eq!(since_losses(&mut passes, &layout()).unwrap().into_iter().collect::<Vec<_>>(), [(0, 500)]);
        assert_eq!(times(&passes[0]), [(0, 500), (0, 510), (0, 520), (1, 15)]);
        assert_eq!((passes[0].records(), passes[0].is_all()), (4, true));
        assert_eq!(since_losses(&mut passes, &layout()).unwrap().len(), 0, "they are forgotten");
    }

    /// A damaged page is a loss at a time that is not known, and was not overwritten.
    #[test]
    fn damaged_page_is_not_taken_for_overwritten_records() {
        let losses = |pass: &Pass| -> Vec<Lost> {
            pass.pages().map(|(_, _, bytes)| Page::new(&layout(), bytes).unwrap().lost()).collect()
        };
        let mut pass = Pass::default();
        pass.add(0, 4, &page(&[10, 20], None), &layout()).unwrap();
        pass.add_lost((0, 4), &layout());
        pass.add(0, 4, &page(&[50], None), &layout()).unwrap();
        pass.end_lane(true);
        let mut passes = vec![pass];
        assert_eq!(since_losses(&mut passes, &layout()).unwrap().len(), 0);
        assert_eq!(times(&passes[0]), [(0, 10), (0, 20), (0, 50)]);
        assert_eq!(losses(&passes[0]), [Lost::None, Lost::Unknown, Lost::None]);
        // Before and behind records that were overwritten.
        passes[0].add(0, 4, &page(&[70], Some(9)), &layout()).unwrap();
        passes[0].add_lost((0, 4), &layout());
        assert_eq!(since_losses(&mut passes, &layout()).unwrap().into_iter().collect::<Vec<_>>(), [(0, 70)]);
        assert_eq!((times(&passes[0]), losses(&passes[0])), (vec![(0, 70)], vec![Lost::None, Lost::Unknown]));
    }

    #[test]
    fn pages_past_a_time_are_carried_over() {
        let mut pass = Pass::default();
        pass.add(0, 4, &page(&[10, 20], None), &layout()).unwrap();
        pass.add(0, 4, &page(&[30, 40], None), &layout()).unwrap();
        pass.end_lane(true);
        pass.add(1, 6, &page(&[35], None), &layout()).unwrap();
        pass.end_lane(true);
        let mut after = pass.after(30, |lane| lane == 0, &layout()).unwrap();
        assert_eq!(times(&after), [(0, 30), (0, 40)]);
        assert!(!after.is_all(), "more is read behind it");
        after.note_losses(|_| true, &layout());
        let lost = after.pages().map(|(_, _, bytes)| Page::new(&layout(), bytes).unwrap().lost());
        assert_eq!(lost.collect::<Vec<_>>(), [Lost::Unknown]);
    }

    #[test]
    fn damaged_page_is_refused_where_it_is_read() {
        let mut pass = Pass::default();
        assert!(pass.add(0, 0, &[0; 3], &layout()).is_err());
        assert!(pass.is_empty());
    }
}
