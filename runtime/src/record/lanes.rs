//! The pages of recordings, read and filtered CPU by CPU in several threads, and merged by time.
//!
//! Each CPU of each file is a lane. A thread takes a lane, filters some of its pages, and hands back the records that are
//! kept, as a piece; the one that merges asks for the next piece of a lane when it has taken one. So a lane has at most
//! [`AHEAD`] pieces that wait, and what is held has one limit for all lanes.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fs::File;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tracec_kernel::page::Lost;

use super::host::{Dropped, HostFilter};
use super::merge::Due;
use super::trace_dat::{PageInput, Pages, Piece, SharedFile, TraceDat, TraceDatError};
use crate::sink::Ring;

/// The pieces of a lane that may wait.
const AHEAD: usize = 2;

/// The number of bytes that lanes hold together, about.
const BUDGET: usize = 32 << 20;

/// What a lane holds of its share: pages, the pieces that wait, and the one that is made, each with what is noted of
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

/// What is kept of the next pages of a lane.
struct Made {
    piece: Piece,
    /// What is behind the piece, if nothing more comes.
    end: Option<Result<(), TraceDatError>>,
}

/// The pages of a lane.
struct Job<'f> {
    pages: Pages<'f, SharedFile<'f>>,
    filter: HostFilter,
}

impl Job<'_> {
    fn run(&mut self, mut piece: Piece) -> Made {
        piece.entries.clear();
        piece.bytes.clear();
        let end = match self.pages.fill(&mut self.filter, &mut piece) {
            Ok(true) => None,
            Ok(false) => Some(Ok(())),
            Err(error) => Some(Err(error)),
        };
        Made { piece, end }
    }
}

/// A lane as the one that merges sees it.
struct Lane<'f> {
    ring: Ring,
    file: usize,
    /// The job, unless a thread has it.
    job: Option<Job<'f>>,
    ready: VecDeque<Made>,
    /// The entry of the first piece that is next, and the offset of its bytes.
    next: (usize, usize),
    /// A piece that was taken, for its memory.
    spare: Option<Piece>,
    is_ended: bool,
}

/// The threads, and the jobs on their way.
struct Crew<'f> {
    jobs: Sender<(usize, Job<'f>, Piece)>,
    made: Receiver<(usize, Job<'f>, Made)>,
}

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
    let share = BUDGET / PARTS / lanes.max(1);
    let inputs = sources.iter().map(|source| {
        let of_buffer = |buffer: &super::Buffer| -> Vec<PageInput<'_>> {
            buffer.cpus.iter().map(|_| source.file.page_input()).collect()
        };
        source.file.buffers.iter().flat_map(of_buffer).collect()
    });
    let mut inputs: Vec<Vec<PageInput<'_>>> = inputs.collect();
    let (mut all, mut first) = (Vec::with_capacity(lanes), 0);
    for (index, (source, inputs)) in sources.iter().zip(&mut inputs).enumerate() {
        let mut inputs = inputs.iter_mut();
        for (number, buffer) in (0..).zip(&source.file.buffers) {
            for (data, input) in buffer.cpus.iter().zip(inputs.by_ref()) {
                let pages = source.file.lane(input, (number, buffer), data, (share, is_raw));
                all.push(Lane {
                    ring: Ring { buffer: first + number, cpu: data.cpu },
                    file: index,
                    job: Some(Job { pages, filter: source.filter.of_other_lanes() }),
                    ready: VecDeque::new(),
                    next: (0, 0),
                    spare: None,
                    is_ended: false,
                });
            }
        }
        first += source.file.buffers.len() as u32;
    }
    let threads = threads.min(lanes);
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
fn work<'f>(queue: &Mutex<Receiver<(usize, Job<'f>, Piece)>>, done: &Sender<(usize, Job<'f>, Made)>) {
    loop {
        let Ok(next) = queue.lock().map(|queue| queue.recv()) else { return };
        let Ok((lane, mut job, piece)) = next else { return };
        let made = job.run(piece);
        if done.send((lane, job, made)).is_err() {
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
    /// That of a file, with its index.
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
        for job in self.lanes.iter().filter(|lane| lane.file == file).filter_map(|lane| lane.job.as_ref()) {
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
            let Some(lane) = self.lanes.get_mut(index) else { return Ok(None) };
            match lane.ready.front() {
                Some(Made { piece, .. }) if lane.next.0 < piece.entries.len() => {
                    return Ok(piece.entries.get(lane.next.0).map(|entry| entry.timestamp));
                }
                Some(_) => {
                    let Some(Made { piece, end }) = lane.ready.pop_front() else { continue };
                    (lane.spare, lane.next) = (Some(piece), (0, 0));
                    match end {
                        None => self.request(index),
                        Some(Ok(())) => lane.is_ended = true,
                        Some(Err(error)) => {
                            lane.is_ended = true;
                            return Err((lane.file, error));
                        }
                    }
                }
                None if lane.is_ended => return Ok(None),
                None => self.wait(index),
            }
        }
    }

    /// Lets a thread make the next piece of a lane, if there are threads and not enough pieces wait.
    fn request(&mut self, index: usize) {
        let Some(lane) = self.lanes.get_mut(index) else { return };
        let Some(crew) = &self.crew else { return };
        let is_last = lane.ready.back().is_some_and(|made| made.end.is_some());
        if is_last || lane.is_ended || lane.ready.len() >= AHEAD {
            return;
        }
        if let Some(job) = lane.job.take()
            && let Err(unsent) = crew.jobs.send((index, job, lane.spare.take().unwrap_or_default()))
        {
            lane.job = Some(unsent.0.1);
        }
    }

    /// Waits until a piece of a lane is ready.
    fn wait(&mut self, index: usize) {
        let Some(lane) = self.lanes.get_mut(index) else { return };
        if let Some(job) = &mut lane.job {
            let made = job.run(lane.spare.take().unwrap_or_default());
            lane.ready.push_back(made);
            return;
        }
        match self.crew.as_ref().map(|crew| crew.made.recv()) {
            Some(Ok((of, job, made))) => {
                if let Some(lane) = self.lanes.get_mut(of) {
                    lane.job = Some(job);
                    lane.ready.push_back(made);
                }
                self.request(of);
            }
            // There is no thread any more that could have the job.
            None | Some(Err(_)) => lane.is_ended = true,
        }
    }
}

impl Lane<'_> {
    /// Takes the next record or loss of the first piece.
    fn take(&mut self) -> Option<(usize, Due<'_>)> {
        let Lane { ring, file, ready, next: (entry, at), .. } = self;
        let piece = &ready.front()?.piece;
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
