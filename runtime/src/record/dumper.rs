//! The thread that writes the dumps of a session, one at a time.
//!
//! The thread that reads the rings hands over what it has read, and goes on: nothing that it does depends on a file system.

use std::any::Any;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{EventfdFlags, eventfd};
use rustix::fd::{AsFd, BorrowedFd};
use serde::{Deserialize, Serialize};

use super::pass::Pass;
use super::recorder::RingEnd;
use super::stages::{RenderError, Stages};
use crate::roll_call::Member;
use crate::sink::NewFile;
use crate::sink::progress::Progress;

/// A dump that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dump {
    /// Its file.
    pub path: String,
    /// The number of its records.
    pub records: u64,
    /// The time before the event that it has all records of.
    pub covered: Covered,
}

/// What a ring has kept of the time before an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Covered {
    /// All records since the session began, and how long ago that was.
    All(Duration),
    /// All records since the dump before. The time is not known where the clock does not count it.
    SinceDump(Option<Duration>),
    /// The newest records; older ones were overwritten.
    Newest(Option<Duration>),
}

/// A dump that is to be written.
pub(crate) struct Job {
    /// The stages that its records go through, the last of which writes to the file.
    pub(crate) stages: Stages,
    /// The file, which gets its name at the end.
    pub(crate) file: NewFile,
    pub(crate) passes: Vec<Pass>,
    pub(crate) end: RingEnd,
}

/// The result of a dump: the number of its records.
pub(crate) type Written = Result<u64, RenderError>;

/// The thread, and what it has to say.
#[derive(Debug)]
pub(crate) struct Dumper {
    jobs: Option<Sender<Box<Job>>>,
    shared: Arc<Shared>,
    /// `None` once it was joined.
    thread: Option<JoinHandle<()>>,
    progress: Arc<Progress>,
}

#[derive(Debug)]
struct Shared {
    /// Polls as readable when a dump is done, and when the thread has ended.
    wake: OwnedFd,
    written: Mutex<Option<Written>>,
}

impl Dumper {
    /// Starts the thread, which answers as `member` and waits for its first dump.
    pub(crate) fn spawn(member: Member) -> io::Result<Dumper> {
        let wake = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let shared = Arc::new(Shared { wake, written: Mutex::default() });
        let (jobs, arriving) = channel();
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("tracec-dump".to_owned()).spawn(move || {
            // Also where it panics.
            let ended = Ended(of_thread);
            member.answer();
            work(&arriving, &ended.0);
        })?;
        Ok(Dumper { jobs: Some(jobs), shared, thread: Some(thread), progress: Arc::default() })
    }

    /// Returns the progress that its outputs note.
    pub(crate) fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Writes a dump. The one before is done.
    pub(crate) fn write(&self, job: Box<Job>) {
        // A thread that has ended has panicked, which is noticed when it wakes.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(job));
    }

    /// Returns a descriptor that polls as readable when a dump is done.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.shared.wake.as_fd()
    }

    /// Takes note of a wake-up, and returns the result of a dump that is done.
    pub(crate) fn heard(&self) -> Option<Written> {
        // It is not blocking, and may have been heard before.
        let _ = rustix::io::read(&self.shared.wake, &mut [0; 8]);
        self.shared.written.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the value that the thread has panicked with.
    pub(crate) fn panic(&mut self) -> Option<Box<dyn Any + Send>> {
        let ended = self.thread.take_if(|thread| thread.is_finished());
        ended.and_then(|thread| thread.join().err())
    }
}

impl Drop for Dumper {
    fn drop(&mut self) {
        self.progress.leave();
        self.jobs = None;
    }
}

/// Wakes the session when the thread ends.
struct Ended(Arc<Shared>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.wake();
    }
}

impl Shared {
    fn wake(&self) {
        // The counter of an eventfd is far from full.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }
}

fn work(arriving: &Receiver<Box<Job>>, shared: &Shared) {
    while let Ok(job) = arriving.recv() {
        let written = write(*job);
        *shared.written.lock().unwrap_or_else(PoisonError::into_inner) = Some(written);
        shared.wake();
    }
}

/// Writes a dump. On an error nothing is left of the file.
pub(crate) fn write(Job { mut stages, file, passes, end }: Job) -> Written {
    stages.begin()?;
    for pass in passes {
        stages.take(&pass)?;
        stages.write(&pass, false)?;
    }
    stages.finish(&end)?;
    let records = stages.counts().records;
    drop(stages);
    file.complete().map_err(|error| RenderError::Sink(error.into()))?;
    Ok(records)
}
