//! The pages of recordings, read and filtered in several threads, and merged by time.
//!
//! Each CPU of each file is a lane, whose pages are cut into sections. A thread takes a section, filters some of its pages,
//! and hands back the records that are kept, as a piece; the one that merges asks for the next piece of a section when it
//! has taken one. So a section has at most [`AHEAD`] pieces that wait, and what is held has one limit for all lanes. The
//! sections of a lane are merged one behind the other, since the order of one CPU's records is kept, also where its clock
//! steps back. Pieces without a record do not wait: where little is kept, threads are not held up by the lane whose next
//! record is looked for.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tracec_kernel::page::Lost;

use super::host::{Dropped, HostFilter};
use super::merge::Due;
use super::trace_dat::{CpuData, PageInput, Pages, Piece, SharedFile, TraceDat, TraceDatError};
use crate::sink::Ring;

/// The pieces of a section that may wait.
const AHEAD: usize = 2;

/// The number of bytes of pages of a section, about. The small recordings of tests have several.
const SECTION: u64 = if cfg!(test) { 12 << 10 } else { 4 << 20 };

/// The most lanes for each thread whose sections are worked on side by side. Where there are more, lanes are enough for all
/// threads.
const FEW_LANES: usize = 4;

/// The number of bytes that lanes hold together, about.
const BUDGET: usize = 32 << 20;

/// What a section holds of its share: pages, the pieces that wait, and the one that is made, each with what is noted of
/// short records.
const PARTS: usize = 8;

/// The largest number of lanes. More would hold less than a record each.
pub(crate) const MOST_LANES: usize = 4096;

/// The largest number of lanes of one file that are read in several threads: with more, each would hold little, and the
/// work of threads is in pieces that are too small.
pub(crate) const MOST_IN_THREADS: usize = 256;

/// A file, and the filter of its records.
#[derive(Clone, Copy)]
pub(crate) struct LaneSource<'f> {
    pub(crate) file: &'f TraceDat<File>,
    pub(crate) filter: &'f HostFilter,
}

/// What is kept of the next pages of a section.
struct Made {
    piece: Piece,
    /// The damage behind the piece.
    damage: Option<TraceDatError>,
    /// Whether nothing more comes of the section.
    is_last: bool,
}

/// What reads and filters the pages of a section, one after the other.
struct Job<'f> {
    pages: Pages<'f, SharedFile<'f>>,
    filter: HostFilter,
}

impl Job<'_> {
    /// Goes on with another section.
    fn begin(&mut self, range: Range<u64>) {
        self.pages.begin_at(range);
        self.filter.begin_anywhere();
    }

    fn run(&mut self, mut piece: Piece) -> Made {
        piece.entries.clear();
        piece.bytes.clear();
        match self.pages.fill(&mut self.filter, &mut piece) {
            Ok(has_more) => Made { piece, damage: None, is_last: !has_more },
            Err(error) => Made { piece, damage: Some(error), is_last: false },
        }
    }
}

/// A section of a lane that was begun.
struct Section<'f> {
    /// The job, unless a thread has it, or it is done.
    job: Option<Job<'f>>,
    ready: VecDeque<Made>,
    is_done: bool,
}

/// A lane as the one that merges sees it.
struct Lane<'f> {
    ring: Ring,
    file: usize,
    data: &'f CpuData,
    page_size: u32,
    /// The size of a section: that of all pages where one thread does everything.
    section: u64,
    /// The offset of the first page of the next section.
    rest: u64,
    /// The sections that were begun, and the number of the first.
    sections: VecDeque<Section<'f>>,
    first: u64,
    /// The number of its jobs, and those that have no section.
    width: usize,
    idle: Vec<Job<'f>>,
    /// The entry of the first piece of the first section that is next, and the offset of its bytes.
    next: (usize, usize),
    /// Pieces that were taken, for their memory.
    spare: Vec<Piece>,
    is_ended: bool,
}

/// The threads, and the jobs on their way.
struct Crew<'f> {
    jobs: Sender<(Place, Job<'f>, Piece)>,
    made: Receiver<(Place, Job<'f>, Made)>,
}

/// A lane, and the number of its section.
type Place = (usize, u64);

/// The lanes of all files.
pub(crate) struct Lanes<'f> {
    lanes: Vec<Lane<'f>>,
    /// `None` where the one that merges does everything.
    crew: Option<Crew<'f>>,
    /// As in [`Pages`]: the lanes that are not current, the current one, and up to where its records are released.
    order: BinaryHeap<Reverse<(u64, usize)>>,
    current: Option<usize>,
    last: (u64, usize),
}

/// How many lanes some files have.
pub(crate) fn count<'f>(files: impl IntoIterator<Item = &'f TraceDat<File>>) -> usize {
    files.into_iter().flat_map(|file| &file.buffers).map(|buffer| buffer.cpus.len()).sum()
}

/// Calls a function with the lanes of files, which some threads work for; with one, the caller works alone. Records keep
/// the time stamps that are in the files if `is_raw`.
pub(crate) fn with_lanes<T>(
    sources: &[LaneSource<'_>],
    threads: usize,
    is_raw: bool,
    then: impl FnOnce(&mut Lanes<'_>) -> T,
) -> T {
    let lanes = count(sources.iter().map(|source| source.file));
    // A thread for less than a section costs more than it saves.
    let data = sources.iter().flat_map(|source| &source.file.buffers).flat_map(|buffer| &buffer.cpus);
    let sections: u64 = data.map(|data| data.length().div_ceil(SECTION)).sum();
    let threads = threads.min(usize::try_from(sections).unwrap_or(usize::MAX));
    let (section, jobs) = match threads {
        ..2 => (u64::MAX, 1),
        _ if lanes > threads * FEW_LANES => (SECTION, 1),
        _ => (SECTION, threads),
    };
    let share = BUDGET / PARTS / (lanes * jobs).max(1);
    let inputs = sources.iter().map(|source| {
        let count = source.file.buffers.iter().map(|buffer| buffer.cpus.len()).sum::<usize>() * jobs;
        (0..count).map(|_| source.file.page_input()).collect()
    });
    let mut inputs: Vec<Vec<PageInput<'_>>> = inputs.collect();
    let (mut all, mut first) = (Vec::with_capacity(lanes), 0);
    for (index, (source, inputs)) in sources.iter().zip(&mut inputs).enumerate() {
        let mut inputs = inputs.iter_mut();
        for (number, buffer) in (0..).zip(&source.file.buffers) {
            for data in &buffer.cpus {
                let job = |input| {
                    let pages = source.file.lane(input, (number, buffer), data, (share, is_raw));
                    Job { pages, filter: source.filter.of_other_lanes() }
                };
                all.push(Lane {
                    ring: Ring { buffer: first + number, cpu: data.cpu },
                    file: index,
                    data,
                    page_size: buffer.page_size,
                    section,
                    rest: 0,
                    sections: VecDeque::new(),
                    first: 0,
                    width: jobs,
                    idle: inputs.by_ref().take(jobs).map(job).collect(),
                    next: (0, 0),
                    spare: Vec::new(),
                    is_ended: false,
                });
            }
        }
        first += source.file.buffers.len() as u32;
    }
    if threads < 2 {
        return then(&mut Lanes::new(all, None));
    }
    let (jobs, queue) = channel();
    let (done, made) = channel();
    let queue = Mutex::new(queue);
    thread::scope(|scope| {
        let mut started = 0;
        for _ in 0..threads {
            let (queue, done) = (&queue, done.clone());
            let worker = thread::Builder::new().name("tracec-filter".to_owned());
            started += usize::from(worker.spawn_scoped(scope, move || work(queue, &done)).is_ok());
        }
        drop(done);
        // The threads end when the jobs do.
        let crew = (started > 0).then_some(Crew { jobs, made });
        then(&mut Lanes::new(all, crew))
    })
}

/// Does jobs until there are none to come.
fn work<'f>(queue: &Mutex<Receiver<(Place, Job<'f>, Piece)>>, done: &Sender<(Place, Job<'f>, Made)>) {
    loop {
        let Ok(next) = queue.lock().map(|queue| queue.recv()) else { return };
        let Ok((place, mut job, piece)) = next else { return };
        let made = job.run(piece);
        if done.send((place, job, made)).is_err() {
            return;
        }
    }
}

impl<'f> Lanes<'f> {
    fn new(lanes: Vec<Lane<'f>>, crew: Option<Crew<'f>>) -> Self {
        let order = (0..lanes.len()).map(|lane| Reverse((0, lane))).collect();
        let mut new = Lanes { lanes, crew, order, current: None, last: (0, 0) };
        (0..new.lanes.len()).for_each(|lane| new.request(lane));
        new
    }

    /// Returns the next record of all lanes, or the next loss, with the index of its file, in the order of
    /// [`Pages::next`]. `None` behind the last.
    ///
    /// # Errors
    /// Damage of a file, with its index. The next call goes on behind it.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Due<'_>)>, (usize, TraceDatError)> {
        loop {
            let index = match self.current {
                Some(index) => index,
                None => {
                    let Some(Reverse((_, index))) = self.order.pop() else { return Ok(None) };
                    self.last = self.order.peek().map_or((u64::MAX, usize::MAX), |Reverse(first)| *first);
                    self.current = Some(index);
                    index
                }
            };
            match self.time(index)? {
                None => self.current = None,
                Some(time) if (time, index) > self.last => {
                    self.order.push(Reverse((time, index)));
                    self.current = None;
                }
                Some(_) => return Ok(self.lanes.get_mut(index).and_then(Lane::take)),
            }
        }
    }

    /// Returns the next record or loss of the lane at an index.
    ///
    /// # Errors
    /// As [`next`](Lanes::next).
    pub(crate) fn next_of(&mut self, index: usize) -> Result<Option<Due<'_>>, TraceDatError> {
        match self.time(index) {
            Err((_, error)) => Err(error),
            Ok(None) => Ok(None),
            Ok(Some(_)) => Ok(self.lanes.get_mut(index).and_then(Lane::take).map(|(_, due)| due)),
        }
    }

    /// Returns how many records the filters of a file have dropped, and how many are outside of its period. All of its
    /// lanes must have ended.
    pub(crate) fn dropped(&self, file: usize) -> (Dropped, u64) {
        let (mut dropped, mut outside) = (Dropped::default(), 0);
        for job in self.lanes.iter().filter(|lane| lane.file == file).flat_map(Lane::jobs) {
            let of_job = job.filter.dropped().unwrap_or_default();
            dropped.all += of_job.all;
            dropped.stacks += of_job.stacks;
            outside += job.pages.outside();
        }
        (dropped, outside)
    }

    /// Returns the time of a lane's next record; `None` if there is none.
    fn time(&mut self, index: usize) -> Result<Option<u64>, (usize, TraceDatError)> {
        loop {
            let Some(lane) = self.lanes.get_mut(index).filter(|lane| !lane.is_ended) else { return Ok(None) };
            let Some(section) = lane.sections.front_mut() else {
                match lane.has_rest() {
                    true => self.wait(index),
                    false => return Ok(None),
                }
                continue;
            };
            match section.ready.front() {
                Some(Made { piece, .. }) if lane.next.0 < piece.entries.len() => {
                    return Ok(piece.entries.get(lane.next.0).map(|entry| entry.timestamp));
                }
                Some(_) => {
                    let Some(Made { piece, damage, .. }) = section.ready.pop_front() else { continue };
                    lane.spare.push(piece);
                    lane.next = (0, 0);
                    let damage = damage.map(|error| (lane.file, error));
                    self.request(index);
                    if let Some(damage) = damage {
                        return Err(damage);
                    }
                }
                None if section.is_done => {
                    lane.sections.pop_front();
                    lane.first += 1;
                    self.request(index);
                }
                None => self.wait(index),
            }
        }
    }

    /// Lets threads make the next pieces of a lane, if there are threads and not enough pieces wait.
    fn request(&mut self, index: usize) {
        let (Some(lane), Some(crew)) = (self.lanes.get_mut(index), &self.crew) else { return };
        if lane.is_ended {
            return;
        }
        while lane.has_rest() && lane.waiting() < AHEAD * lane.width && lane.begin() {}
        for (number, section) in (lane.first..).zip(&mut lane.sections) {
            if section.ready.len() < AHEAD
                && let Some(job) = section.job.take()
                && let Err(unsent) =
                    crew.jobs.send(((index, number), job, lane.spare.pop().unwrap_or_default()))
            {
                section.job = Some(unsent.0.1);
            }
        }
    }

    /// Waits until a piece of any lane is ready; without threads, makes the next one of a lane.
    fn wait(&mut self, index: usize) {
        let Some(crew) = &self.crew else {
            let Some(lane) = self.lanes.get_mut(index) else { return };
            if lane.sections.is_empty() {
                lane.begin();
            }
            let job = lane.sections.front_mut().and_then(|section| section.job.take());
            match job {
                Some(mut job) => {
                    let made = job.run(lane.spare.pop().unwrap_or_default());
                    lane.keep(lane.first, job, made);
                }
                None => lane.is_ended = true,
            }
            return;
        };
        match crew.made.recv() {
            Ok(((of, number), job, made)) => {
                if let Some(lane) = self.lanes.get_mut(of) {
                    lane.keep(number, job, made);
                }
                self.request(of);
            }
            // There is no thread any more that could have the job.
            Err(_) => self.lanes.get_mut(index).into_iter().for_each(|lane| lane.is_ended = true),
        }
    }
}

impl<'f> Lane<'f> {
    /// Returns whether there are sections that were not begun.
    fn has_rest(&self) -> bool {
        self.rest < self.data.length()
    }

    /// Returns the number of pieces that wait.
    fn waiting(&self) -> usize {
        self.sections.iter().map(|section| section.ready.len()).sum()
    }

    /// Begins the next section, if a job has none. Returns whether it did.
    fn begin(&mut self) -> bool {
        let Some(mut job) = self.idle.pop() else { return false };
        let end = self.data.end_behind(self.rest, self.section, self.page_size);
        job.begin(self.rest..end);
        self.rest = end;
        self.sections.push_back(Section { job: Some(job), ready: VecDeque::new(), is_done: false });
        true
    }

    /// Keeps the next piece of a section.
    fn keep(&mut self, number: u64, job: Job<'f>, made: Made) {
        let at = number.checked_sub(self.first).and_then(|at| usize::try_from(at).ok());
        let Some(section) = at.and_then(|at| self.sections.get_mut(at)) else { return self.idle.push(job) };
        section.is_done = made.is_last;
        match section.is_done {
            true => self.idle.push(job),
            false => section.job = Some(job),
        }
        match made {
            Made { piece, damage: None, .. } if piece.entries.is_empty() => self.spare.push(piece),
            made => section.ready.push_back(made),
        }
    }

    /// Returns the jobs that no thread has.
    fn jobs(&self) -> impl Iterator<Item = &Job<'f>> {
        self.idle.iter().chain(self.sections.iter().filter_map(|section| section.job.as_ref()))
    }
}

impl Lane<'_> {
    /// Takes the next record or loss of the first piece.
    fn take(&mut self) -> Option<(usize, Due<'_>)> {
        let Lane { ring, file, sections, next: (entry, at), .. } = self;
        let piece = &sections.front()?.ready.front()?.piece;
        let found = *piece.entries.get(*entry)?;
        *entry += 1;
        let ring = *ring;
        if found.lost != Lost::None {
            return Some((*file, Due::Lost { ring, lost: found.lost }));
        }
        let end = *at + found.length as usize;
        let data = piece.bytes.get(*at..end).unwrap_or_default();
        *at = end;
        Some((*file, Due::Record { ring, timestamp: found.timestamp, data }))
    }
}

#[cfg(test)]
mod tests;
