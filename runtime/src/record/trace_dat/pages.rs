//! The pages of a recording, merged by time.
//!
//! A file may claim any number of CPUs, so what is held of their pages has one limit for all of them: [`BUDGET`]. Each
//! CPU holds its share, which may be less than a page. The filter walks over that part of the page, and the records
//! that it keeps are released when they are due. Where the share is less than a record, CPUs take turns: one whose
//! bytes had to make room keeps its position, and reads them again.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{Read, Seek};
use std::ops::{Range, RangeInclusive};

use tracec_kernel::page::{Lost, Page, PageError, PageHead, PageLayout};
use tracec_kernel::selection::Selected;

use super::compression::{Decompressor, complete};
use super::input::Input;
use super::moving::fill_pages;
use super::stated::Correction;
use super::{Buffer, Chunk, Compression, CpuData, TraceDatError};
use crate::record::host::{HostFilter, Walked};
use crate::record::merge::{Due, plus};
use crate::sink::Ring;

/// The number of bytes that are held for all CPUs together.
const BUDGET: usize = 32 << 20;

/// The greatest share of a CPU: what is read is walked over while it is in the cache of its core.
const MOST: usize = 64 * 1024;

/// The least share of a CPU. Most records are shorter.
const LEAST: usize = 256;

/// A filter walks over one of so many parts of a share at once: what is noted of a short record takes more bytes than
/// the record. A share of the usual size has many pages in each part.
const PARTS: usize = 6;

/// The pages of all buffers. Each CPU is one lane.
pub(crate) struct Pages<'f, R> {
    input: &'f mut Input<R>,
    layout: &'f PageLayout,
    compression: Compression,
    lanes: Vec<Lane>,
    /// The lanes that are not current, each with a time that none of its records is older than.
    order: BinaryHeap<Reverse<(u64, usize)>>,
    /// The lane whose records are released, up to `last`, a time and a lane.
    current: Option<usize>,
    last: (u64, usize),
    /// The time whose records are released.
    period: RangeInclusive<u64>,
    /// The number of records outside of it.
    outside: u64,
    /// Whether records keep the time stamps that are in the file.
    is_raw: bool,
    /// The share of each lane.
    share: usize,
    /// The lanes that hold bytes, the one that has held some for the longest time first.
    holding: VecDeque<usize>,
    /// The number of bytes that they hold.
    held: usize,
    /// The records that the last walk of any lane has kept. A filter may reserve room for many more than a part of a page
    /// has, so a lane has a copy of what is in it.
    kept: Vec<Selected>,
    decompressor: Decompressor,
    /// The chunk that was read last, as it is stored, and a chunk of which a part is taken.
    stored: Vec<u8>,
    chunk: Vec<u8>,
}

/// What is next of the pages, without its bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) ring: Ring,
    /// Its corrected time; that of a loss is the time of the page behind it.
    pub(crate) timestamp: u64,
    what: StepKind,
}

#[derive(Clone, Copy, Debug)]
enum StepKind {
    /// A record: its lane, the offset of its bytes there, and their number.
    Record {
        lane: usize,
        at: u64,
        length: usize,
    },
    Lost(Lost),
}

/// The pages after which a piece ends, also if nothing of them is kept: about 4 MiB.
const PIECE_PAGES: usize = 1024;

/// What a filter keeps of some pages of a CPU.
#[derive(Debug, Default)]
pub(crate) struct Piece {
    pub(crate) entries: Vec<PieceEntry>,
    /// The bytes of the records, one behind the other.
    pub(crate) bytes: Vec<u8>,
}

/// A record or a loss.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PieceEntry {
    pub(crate) timestamp: u64,
    /// The number of bytes of a record.
    pub(crate) length: u32,
    /// What was lost, if it is a loss.
    pub(crate) lost: Lost,
}

/// The pages of a CPU. Offsets count from the first.
struct Lane {
    /// The position of its buffer.
    buffer: u32,
    /// What its time stamps take.
    correction: Correction,
    data: CpuData,
    /// The size of all its pages, and that of one, bytes.
    length: u64,
    page_size: u32,
    /// The offset of the current page.
    page: u64,
    /// The position in it; `None` before its header is read.
    walk: Option<Walk>,
    /// The offset of the bytes that are held.
    start: u64,
    bytes: Vec<u8>,
    /// The records of the last walk that are kept, and how many of them were released. Their offsets count from `walked`.
    kept: Vec<Selected>,
    released: usize,
    walked: u64,
    /// The damage behind these records.
    damage: Option<PageError>,
    /// Records that were lost before the current page, and its time.
    lost: (Lost, u64),
    /// The time of the last entry that was walked over, as the file has it.
    newest: u64,
}

/// A position between two entries of a page.
#[derive(Clone, Copy)]
struct Walk {
    head: PageHead,
    /// The offset of the next entry in the page.
    next: usize,
    /// The time before it.
    timestamp: u64,
}

impl<'f, R: Read + Seek> Pages<'f, R> {
    pub(super) fn new<'b>(
        input: &'f mut Input<R>,
        (layout, compression): (&'f PageLayout, Compression),
        buffers: (impl Iterator<Item = &'b Buffer>, impl Fn(&Buffer, u32) -> Correction),
        period: RangeInclusive<u64>,
    ) -> Self {
        let (buffers, correction) = buffers;
        let of_cpu = |index: u32, buffer: &Buffer, data: &CpuData| {
            Lane::new((index, correction(buffer, data.cpu)), data.clone(), buffer.page_size)
        };
        let mut lanes = Vec::new();
        for (index, buffer) in (0..).zip(buffers) {
            lanes.extend(buffer.cpus.iter().map(|data| of_cpu(index, buffer, data)));
        }
        let share = (BUDGET / lanes.len().max(1)).clamp(LEAST, MOST);
        Pages {
            input,
            layout,
            compression,
            order: (0..lanes.len()).map(|lane| Reverse((0, lane))).collect(),
            current: None,
            last: (0, 0),
            lanes,
            period,
            outside: 0,
            is_raw: false,
            share,
            holding: VecDeque::new(),
            held: 0,
            kept: Vec::new(),
            decompressor: Decompressor::default(),
            stored: Vec::new(),
            chunk: Vec::new(),
        }
    }

    /// Returns the next record of all CPUs that a filter keeps, or the next loss: the oldest first, and of equal ones the
    /// lower lane's. `None` behind the last. The order of one CPU's records is kept, also where its clock steps back.
    ///
    /// # Errors
    /// Damage. The next call goes on behind it, and says first that records were lost.
    pub(crate) fn next(&mut self, filter: &mut HostFilter) -> Result<Option<Due<'_>>, TraceDatError> {
        match self.advance(filter)? {
            Some(step) => self.due(step).map(Some),
            None => Ok(None),
        }
    }

    /// Returns the pages of one lane for [`fill`](Pages::fill), which holds about `share` bytes. Records keep the time
    /// stamps that are in the file if `is_raw`.
    pub(super) fn of_lane(
        input: &'f mut Input<R>,
        form: (&'f PageLayout, Compression),
        (index, buffer, correction): (u32, &Buffer, Correction),
        data: &CpuData,
        period: RangeInclusive<u64>,
        (share, is_raw): (usize, bool),
    ) -> Self {
        let mut pages = Pages::new(input, form, (std::iter::empty(), |_, _| Correction::default()), period);
        pages.lanes.push(Lane::new((index, correction), data.clone(), buffer.page_size));
        (pages.share, pages.is_raw) = (share.clamp(LEAST, MOST), is_raw);
        pages
    }

    /// Lets [`fill`](Pages::fill) go on with the pages of a range of the only lane. Its begin is that of a page.
    pub(crate) fn begin_at(&mut self, range: Range<u64>) {
        for lane in &mut self.lanes {
            let length = range.end.min(lane.data.length());
            self.held -= lane.bytes.capacity();
            let (buffer, correction) = (lane.buffer, lane.correction.clone());
            let data = std::mem::take(&mut lane.data);
            *lane =
                Lane { page: range.start, length, ..Lane::new((buffer, correction), data, lane.page_size) };
        }
    }

    /// Leaves out all pages but those of a ring. Nothing may have been released.
    pub(crate) fn keep_only(&mut self, ring: Ring) {
        self.lanes.retain(|lane| lane.ring() == ring);
        self.order = (0..self.lanes.len()).map(|lane| Reverse((0, lane))).collect();
    }

    /// Moves on to what [`next`](Pages::next) returns. Its bytes are held until the call after this one.
    pub(crate) fn advance(&mut self, filter: &mut HostFilter) -> Result<Option<Step>, TraceDatError> {
        loop {
            let Some(index) = self.current.or_else(|| self.begin_lane()) else { return Ok(None) };
            if let Some(step) = self.kept(index)? {
                return Ok(Some(step));
            }
            if self.current.is_none() {
                continue;
            }
            let has_page = self.begin_page(index).inspect_err(|error| self.skip(index, error))?;
            match self.loss(index, filter) {
                Some(step) => return Ok(Some(step)),
                None if self.current.is_none() => {}
                None if has_page => {
                    self.keep(index, filter).inspect_err(|error| self.skip(index, error))?;
                }
                None => {
                    self.lanes.get_mut(index).into_iter().for_each(|lane| lane.kept = Vec::new());
                    self.current = None;
                }
            }
        }
    }

    /// Returns the record or the loss of a step.
    pub(crate) fn due(&mut self, step: Step) -> Result<Due<'_>, TraceDatError> {
        let Step { ring, timestamp, what } = step;
        match what {
            StepKind::Lost(lost) => Ok(Due::Lost { ring, lost }),
            StepKind::Record { lane, at, length } => {
                let data = self.bytes(lane, at, length)?;
                Ok(Due::Record { ring, timestamp, data: data.get(..length).unwrap_or(data) })
            }
        }
    }

    /// Makes the lane with the oldest record the current one.
    fn begin_lane(&mut self) -> Option<usize> {
        let Reverse((_, lane)) = self.order.pop()?;
        self.last = self.order.peek().map_or((u64::MAX, usize::MAX), |Reverse(first)| *first);
        self.current = Some(lane);
        self.current
    }

    /// Lets other lanes go first: the next record of the current one has a time.
    fn end_lane(&mut self, index: usize, next: u64) {
        self.order.push(Reverse((next, index)));
        self.current = None;
    }

    /// Takes the next record of a lane's last walk. `None` if there is none, or if it is not due; an error if there is
    /// damage behind them.
    fn kept(&mut self, index: usize) -> Result<Option<Step>, TraceDatError> {
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(None) };
        let Some(&Selected { timestamp, offset, length, .. }) = lane.kept.get(lane.released) else {
            return self.take_damage(index).map_or(Ok(None), Err);
        };
        if (timestamp, index) > self.last {
            self.end_lane(index, timestamp);
            return Ok(None);
        }
        lane.released += 1;
        let at = lane.walked + u64::from(offset);
        let what = StepKind::Record { lane: index, at, length: length as usize };
        Ok(Some(Step { ring: lane.ring(), timestamp, what }))
    }

    /// Takes the damage behind the records of a lane's last walk. Those of the page that are behind it are lost.
    fn take_damage(&mut self, index: usize) -> Option<TraceDatError> {
        let lane = self.lanes.get_mut(index)?;
        let damage = lane.damage.take().map(lane.damaged())?;
        lane.lose(&self.period);
        Some(damage)
    }

    /// Goes on behind an error of a lane: at the next page, or where more cannot be read, behind that. The records in between
    /// are lost.
    fn skip(&mut self, index: usize, error: &TraceDatError) {
        let Some(lane) = self.lanes.get_mut(index) else { return };
        let page = u64::from(lane.page_size.max(1));
        let chunk = |offset: u64| lane.data.chunks.iter().find(|chunk| chunk.offset == offset);
        let behind = match error {
            TraceDatError::Compressed { offset, .. } => chunk(*offset).map(Chunk::end),
            TraceDatError::Truncated { .. } => Some(lane.length),
            _ => None,
        };
        let behind = behind.unwrap_or(0).max(lane.page.saturating_add(page));
        lane.page = behind.checked_next_multiple_of(page).unwrap_or(u64::MAX).min(lane.length);
        (lane.walk, lane.released) = (None, 0);
        lane.kept.clear();
        lane.lose(&self.period);
    }

    /// Takes the loss before a lane's current page. `None` if there is none, or if it is not due.
    fn loss(&mut self, index: usize, filter: &mut HostFilter) -> Option<Step> {
        let lane = self.lanes.get_mut(index)?;
        let (lost, timestamp) = lane.lost;
        if lost == Lost::None {
            return None;
        }
        if (timestamp, index) > self.last {
            self.end_lane(index, timestamp);
            return None;
        }
        lane.lost.0 = Lost::None;
        filter.lost(index);
        Some(Step { ring: lane.ring(), timestamp, what: StepKind::Lost(lost) })
    }

    /// Walks on over a lane's current page, as far as its bytes are held, and notes the records that the filter keeps.
    fn keep(&mut self, index: usize, filter: &mut HostFilter) -> Result<(), TraceDatError> {
        let (share, period, is_raw) = (self.share, self.period.clone(), self.is_raw);
        let (mut wanted, is_whole) = self.wanted(index);
        let mut outside = 0;
        let mut kept = std::mem::take(&mut self.kept);
        while let Some((lane, walk)) = self.walk(index, wanted)? {
            let most = (share / PARTS).max(wanted);
            let walked = lane.keep(walk, most, filter, (index, &mut kept), is_whole);
            lane.kept.clear();
            let correction = lane.correction.clone();
            if period == (0..=u64::MAX) && (is_raw || correction == Correction::default()) {
                lane.kept.extend_from_slice(&kept);
            } else {
                lane.kept.extend(kept.iter().filter_map(|kept| {
                    let timestamp = correction.apply(kept.timestamp);
                    let written = if is_raw { kept.timestamp } else { timestamp };
                    period.contains(&timestamp).then_some(Selected { timestamp: written, ..*kept })
                }));
            }
            match walked {
                Ok(Walked::Decided) => {
                    outside += (kept.len() - lane.kept.len()) as u64;
                    break;
                }
                Ok(Walked::AsksForHistory) => self.remember(index, filter)?,
                Err(short) => wanted = 2 * short,
            }
        }
        self.kept = kept;
        self.outside += outside;
        Ok(())
    }

    /// Returns how many bytes of a lane's current page a walk takes at least, and whether they are all of them.
    fn wanted(&self, index: usize) -> (usize, bool) {
        let Some(lane) = self.lanes.get(index) else { return (1, false) };
        let Some(walk) = lane.walk else { return (1, false) };
        let (begin, end) = (walk.head.entries().start, walk.head.entries().end);
        // A truncated file may have less, whose records are shown.
        let is_there = self.left(lane, lane.page + walk.next as u64) >= (end - walk.next) as u64;
        match lane.page_size as usize <= self.share / PARTS && walk.next == begin {
            true if is_there => (end - begin, true),
            is_whole => (1, is_whole),
        }
    }

    /// Gives a filter the pages before a lane's current one, as many as it asks for.
    fn remember(&mut self, index: usize, filter: &mut HostFilter) -> Result<(), TraceDatError> {
        let Some(lane) = self.lanes.get(index) else { return Ok(()) };
        let (ring, size, mut page) = ((index, lane.data.cpu), u64::from(lane.page_size), lane.page);
        let is_cut = lane.walk.is_some_and(|walk| walk.head.has_lost());
        let layout = PageLayout { size: lane.page_size, ..*self.layout };
        loop {
            page = match page.checked_sub(size) {
                Some(before) if !is_cut => before,
                _ => {
                    filter.begin_history(index);
                    return Ok(());
                }
            };
            // Records before a damaged page are of no account, as those before a loss. It was said where it was read.
            let Ok(bytes) = self.bytes(index, page, size as usize) else {
                filter.begin_history(index);
                return Ok(());
            };
            let found = Page::new(&layout, bytes.get(..size as usize).unwrap_or(bytes));
            if !found.and_then(|found| filter.remember(ring, &found)).unwrap_or(false) {
                return Ok(());
            }
        }
    }

    /// Appends what a filter keeps of the next pages of the only lane to a piece. Returns whether there is more.
    ///
    /// # Errors
    /// As [`next`](Pages::next); the records before the damage were appended.
    pub(crate) fn fill(&mut self, filter: &mut HostFilter, piece: &mut Piece) -> Result<bool, TraceDatError> {
        self.last = (u64::MAX, usize::MAX);
        for _ in 0..PIECE_PAGES {
            let has_page = self.begin_page(0).inspect_err(|error| self.skip(0, error))?;
            if let Some(Step { timestamp, what: StepKind::Lost(lost), .. }) = self.loss(0, filter) {
                piece.entries.push(PieceEntry { timestamp, length: 0, lost });
            }
            if !has_page {
                return Ok(false);
            }
            self.keep(0, filter).inspect_err(|error| self.skip(0, error))?;
            let Some(lane) = self.lanes.first_mut() else { return Ok(false) };
            let held = lane.held(lane.walked);
            for kept in &lane.kept {
                let record = kept.record(held);
                piece.bytes.extend_from_slice(record);
                let length = record.len() as u32;
                piece.entries.push(PieceEntry { timestamp: kept.timestamp, length, lost: Lost::None });
            }
            lane.released = lane.kept.len();
            if let Some(damage) = self.take_damage(0) {
                return Err(damage);
            }
            // What is noted of a short record takes more bytes than the record.
            if piece.bytes.len() + size_of_val(piece.entries.as_slice()) >= self.share {
                break;
            }
        }
        Ok(true)
    }

    /// Returns the number of records that a filter kept and that are outside of the period.
    pub(crate) fn outside(&self) -> u64 {
        self.outside
    }

    /// Reads the header of a lane's current page, if it was not read. Pages without a further record are skipped.
    /// Returns whether there is a page.
    fn begin_page(&mut self, index: usize) -> Result<bool, TraceDatError> {
        loop {
            let Some(lane) = self.lanes.get_mut(index) else { return Ok(false) };
            let length = (lane.length - lane.page).min(lane.page_size.into()) as usize;
            match lane.walk {
                None if length == 0 => {
                    self.held -= std::mem::take(&mut lane.bytes).capacity();
                    return Ok(false);
                }
                None => self.read_header(index, length)?,
                Some(walk) if walk.next < walk.head.entries().end => return Ok(true),
                Some(_) => {
                    lane.page += length as u64;
                    lane.walk = None;
                }
            }
        }
    }

    /// Reads the header of a lane's current page of `length` bytes.
    fn read_header(&mut self, index: usize, length: usize) -> Result<(), TraceDatError> {
        let Some(lane) = self.lanes.get(index) else { return Ok(()) };
        let (page, layout, damaged) = (lane.page, self.layout, lane.damaged());
        let period = self.period.clone();
        let enough = self.share.max(layout.data_offset as usize);
        let head = PageHead::new(layout, self.bytes(index, page, length.min(enough))?, length);
        let head = head.map_err(&damaged)?;
        let entries = head.entries();
        let lost = head.lost(self.bytes(index, page + entries.end as u64, head.lost_size())?);
        let lost = lost.map_err(&damaged)?;
        if let Some(lane) = self.lanes.get_mut(index) {
            let time = lane.correction.apply(head.timestamp());
            let lost = if period.contains(&time) { lost } else { Lost::None };
            lane.lost = (plus(lane.lost.0, lost), time);
            lane.walk = Some(Walk { head, next: entries.start, timestamp: head.timestamp() });
        }
        Ok(())
    }

    /// Returns a lane that holds its next entry, at least `wanted` bytes of it or all to the end of the page's.
    fn walk(&mut self, index: usize, wanted: usize) -> Result<Option<(&mut Lane, Walk)>, TraceDatError> {
        let Some(Lane { page, walk: Some(walk), .. }) = self.lanes.get(index) else { return Ok(None) };
        let (at, walk) = (page + walk.next as u64, *walk);
        self.bytes(index, at, wanted.min(walk.head.entries().end - walk.next))?;
        Ok(self.lanes.get_mut(index).map(|lane| (lane, walk)))
    }

    /// Returns `length` bytes of a lane, and more where it holds more.
    fn bytes(&mut self, index: usize, at: u64, length: usize) -> Result<&[u8], TraceDatError> {
        let Some(lane) = self.lanes.get(index) else { return Ok(&[]) };
        if lane.held(at).len() < length {
            self.read(index, at, length)?;
        }
        Ok(self.lanes.get(index).map_or(&[], |lane| lane.held(at)))
    }

    /// Returns how many bytes of a lane there are from an offset on.
    fn left(&self, lane: &Lane, at: u64) -> u64 {
        let left = lane.length.saturating_sub(at);
        match lane.data.chunks.is_empty() {
            true => left.min(self.input.length_from((lane.data.cpu, lane.data.offset.saturating_add(at)))),
            false => left,
        }
    }

    /// Makes a lane hold its bytes from an offset on: `length` of them, and as many as fit in its share.
    fn read(&mut self, index: usize, at: u64, length: usize) -> Result<(), TraceDatError> {
        let Some(lane) = self.lanes.get(index) else { return Ok(()) };
        let (offset, left) = (lane.data.offset.saturating_add(at), self.left(lane, at));
        let cpu = lane.data.cpu;
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(()) };
        let mut bytes = std::mem::take(&mut lane.bytes);
        let is_new = bytes.capacity() == 0;
        self.held -= bytes.capacity();
        let wanted = length;
        let length = wanted.max(self.share.min(usize::try_from(left).unwrap_or(usize::MAX)));
        self.make_room(length, index);
        if bytes.capacity() < length {
            bytes = Vec::with_capacity(length);
        }
        if self.lanes.get(index).is_some_and(|lane| lane.data.chunks.is_empty()) {
            // What it has is overwritten.
            bytes.resize(length, 0);
            fill_pages(self.input, (cpu, offset), &mut bytes)?;
        } else {
            bytes.clear();
            self.decompress(index, at, (wanted, length), &mut bytes)?;
        }
        self.held += bytes.capacity();
        if is_new {
            self.holding.push_back(index);
        }
        if let Some(lane) = self.lanes.get_mut(index) {
            lane.start = at;
            lane.bytes = bytes;
        }
        Ok(())
    }

    /// Appends bytes of a lane, which is compressed, from an offset on: at least `wanted`, and as many whole chunks as fit
    /// in `most`. Of a chunk of which a part is taken, the rest is decompressed again.
    fn decompress(
        &mut self,
        index: usize,
        mut at: u64,
        (wanted, most): (usize, usize),
        bytes: &mut Vec<u8>,
    ) -> Result<(), TraceDatError> {
        let chunks = self.lanes.get(index).map_or(&[][..], |lane| &lane.data.chunks);
        let first = chunks.partition_point(|chunk| chunk.at + u64::from(chunk.length) <= at);
        for chunk in chunks.get(first..).unwrap_or_default() {
            let skipped = usize::try_from(at - chunk.at).unwrap_or(usize::MAX);
            let rest = (chunk.length as usize).saturating_sub(skipped);
            if bytes.len() >= wanted && bytes.len() + rest > most {
                break;
            }
            self.stored.resize(chunk.stored as usize, 0);
            // Most chunks are taken as they are.
            let is_first = bytes.is_empty() && skipped == 0 && rest <= most;
            let to = if is_first { &mut *bytes } else { &mut self.chunk };
            let read = self.input.fill_chunk(chunk.offset, &mut self.stored).and_then(|()| {
                let done = self.decompressor.decompress(self.compression, &self.stored, chunk.length, to);
                complete(done, "a chunk of pages", chunk.offset)
            });
            match read {
                // What is wanted is before it.
                Err(_) if !is_first && bytes.len() >= wanted => break,
                read => read?,
            }
            let before = if is_first { 0 } else { bytes.len() };
            if !is_first {
                let rest = self.chunk.get(skipped..).unwrap_or_default();
                bytes.extend_from_slice(rest.get(..most - bytes.len()).unwrap_or(rest));
            }
            at += (bytes.len() - before) as u64;
        }
        Ok(())
    }

    /// Drops the bytes of other lanes until `length` more are within the budget.
    fn make_room(&mut self, length: usize, index: usize) {
        while self.held.saturating_add(length) > BUDGET
            && let Some(oldest) = self.holding.pop_front()
        {
            if oldest == index {
                // Its bytes were taken already.
                self.holding.push_back(index);
            } else if let Some(lane) = self.lanes.get_mut(oldest) {
                self.held -= std::mem::take(&mut lane.bytes).capacity();
            }
        }
    }
}

impl Lane {
    fn new((buffer, correction): (u32, Correction), data: CpuData, page_size: u32) -> Self {
        Lane {
            buffer,
            correction,
            length: data.length(),
            data,
            page_size,
            page: 0,
            walk: None,
            start: 0,
            bytes: Vec::new(),
            kept: Vec::new(),
            released: 0,
            walked: 0,
            damage: None,
            lost: (Lost::None, 0),
            newest: 0,
        }
    }

    fn ring(&self) -> Ring {
        Ring { buffer: self.buffer, cpu: self.data.cpu }
    }

    /// Returns the bytes from an offset on that are held.
    fn held(&self, at: u64) -> &[u8] {
        let skipped = at.checked_sub(self.start).and_then(|skipped| usize::try_from(skipped).ok());
        skipped.and_then(|skipped| self.bytes.get(skipped..)).unwrap_or_default()
    }

    /// Returns what makes an error of the current page one of the file.
    fn damaged(&self) -> impl Fn(PageError) -> TraceDatError + use<> {
        let (cpu, offset) = (self.data.cpu, self.data.place(self.page));
        move |source| TraceDatError::Page { cpu, offset, source }
    }

    /// Notes that records were lost behind the last entry that was walked over, an unknown number.
    fn lose(&mut self, period: &RangeInclusive<u64>) {
        let time = match self.newest {
            0 => *period.start(),
            newest => self.correction.apply(newest),
        };
        if period.contains(&time) {
            self.lost = (plus(self.lost.0, Lost::Unknown), time);
        }
    }

    /// Lets a filter walk from a position through at most so many of the bytes that are held, sets `kept` to the records
    /// that it keeps, and notes the position after the walk. The lane's index is given with `kept`. `is_whole` says that
    /// the walk begins where the page does.
    ///
    /// # Errors
    /// The number of these bytes, if the next entry is longer.
    fn keep(
        &mut self,
        walk: Walk,
        most: usize,
        filter: &mut HostFilter,
        (index, kept): (usize, &mut Vec<Selected>),
        is_whole: bool,
    ) -> Result<Walked, usize> {
        let range = walk.head.entries();
        (self.released, self.walked) = (0, self.page + walk.next as u64);
        let skipped = usize::try_from(self.walked - self.start).unwrap_or(usize::MAX);
        let bytes = self.bytes.get(skipped..).unwrap_or_default();
        let bytes = bytes.get(..(range.end - walk.next).min(most)).unwrap_or(bytes);
        let is_all = bytes.len() == range.end - walk.next;
        let mut entries = walk.head.part(bytes, walk.timestamp);
        let ring = (index, self.data.cpu);
        let walked = match is_whole {
            true => filter.keep_page(&mut entries, ring, kept),
            false => filter.keep(&mut entries, ring, kept).map(|()| Walked::Decided),
        };
        let behind = match walked {
            Ok(Walked::AsksForHistory) => return Ok(Walked::AsksForHistory),
            Ok(Walked::Decided) if entries.is_padded() => range.end,
            Ok(Walked::Decided) => walk.next + entries.offset(),
            Err(PageError::Entry { offset: 0 }) if !is_all => return Err(bytes.len()),
            Err(PageError::Entry { offset }) if !is_all => walk.next + offset,
            Err(error) => {
                self.damage = Some(error.behind(walk.next - range.start));
                range.end
            }
        };
        self.newest = entries.timestamp();
        self.walk = Some(Walk { head: walk.head, next: behind, timestamp: self.newest });
        Ok(Walked::Decided)
    }
}
