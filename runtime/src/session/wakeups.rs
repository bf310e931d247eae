//! The events that a session waits for: causes of its end or of a pause, data in the ring, and the timers of batches and
//! of the status line.

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;

use super::timer::Timer;

/// A cause for the end of a session or for a pause, in the order of preference among simultaneous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cause {
    Signal,
    Command,
    StopAfter,
    OutputClosed,
    /// A signal that pauses recording.
    Pause,
}

impl Cause {
    const ALL: [Cause; 5] =
        [Cause::Signal, Cause::Command, Cause::StopAfter, Cause::OutputClosed, Cause::Pause];
}

/// The result of a wait.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ready {
    pub(super) cause: Option<Cause>,
    pub(super) data: bool,
    pub(super) batch: bool,
    pub(super) status: bool,
}

const CAUSES: u64 = 0;
const DATA: u64 = 1;
const BATCH: u64 = 2;
const STATUS: u64 = 3;

/// The descriptors of a session, in two levels: the causes of its end and of a pause are in an epoll set of their own,
/// which outputs also wait for while a pipe is full.
#[derive(Debug)]
pub(super) struct Wakeups {
    all: OwnedFd,
    causes: OwnedFd,
    /// The time of `stop after`.
    pub(super) stop: Timer,
    /// The time of the next batch.
    pub(super) batch: Timer,
    /// The time at which the status line is drawn again.
    pub(super) status: Timer,
}

impl Wakeups {
    pub(super) fn new() -> Result<Self, Errno> {
        let wakeups = Wakeups {
            all: epoll::create(CreateFlags::CLOEXEC)?,
            causes: epoll::create(CreateFlags::CLOEXEC)?,
            stop: Timer::new()?,
            batch: Timer::new()?,
            status: Timer::new()?,
        };
        wakeups.add(CAUSES, wakeups.causes.as_fd())?;
        wakeups.add(BATCH, wakeups.batch.as_fd())?;
        wakeups.add(STATUS, wakeups.status.as_fd())?;
        wakeups.watch(Cause::StopAfter, wakeups.stop.as_fd())?;
        Ok(wakeups)
    }

    /// Returns a descriptor that polls as readable when the session should end or pause.
    pub(super) fn end(&self) -> Result<OwnedFd, Errno> {
        rustix::io::fcntl_dupfd_cloexec(&self.causes, 3)
    }

    /// Makes the session end or pause when `fd` is readable, or, for an output, when its reader has closed its end.
    pub(super) fn watch(&self, cause: Cause, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        // Errors and hang-ups are always reported; an output needs nothing else.
        let interest = if cause == Cause::OutputClosed { EventFlags::empty() } else { EventFlags::IN };
        match epoll::add(&self.causes, fd, EventData::new_u64(cause as u64), interest) {
            // A regular file cannot be polled, and has no reader.
            Err(Errno::PERM) if cause == Cause::OutputClosed => Ok(()),
            added => added,
        }
    }

    /// Removes `fd` from the causes.
    pub(super) fn forget(&self, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        match epoll::delete(&self.causes, fd) {
            Err(Errno::NOENT | Errno::PERM) => Ok(()),
            deleted => deleted,
        }
    }

    pub(super) fn watch_data(&self, ring: BorrowedFd<'_>) -> Result<(), Errno> {
        self.add(DATA, ring)
    }

    /// Sets whether data in the ring ends a wait.
    pub(super) fn set_data(&self, ring: BorrowedFd<'_>, wakes: bool) -> Result<(), Errno> {
        let interest = if wakes { EventFlags::IN } else { EventFlags::empty() };
        epoll::modify(&self.all, ring, EventData::new_u64(DATA), interest)
    }

    /// Waits until something is ready.
    pub(super) fn wait(&self) -> Result<Ready, Errno> {
        let mut ready = Ready::default();
        for token in tokens(&self.all, None)? {
            match token {
                CAUSES => ready.cause = self.cause()?,
                DATA => ready.data = true,
                BATCH => ready.batch = true,
                STATUS => ready.status = true,
                _ => {}
            }
        }
        Ok(ready)
    }

    fn cause(&self) -> Result<Option<Cause>, Errno> {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let ready = tokens(&self.causes, Some(&now))?;
        Ok(Cause::ALL.into_iter().find(|cause| ready.contains(&(*cause as u64))))
    }

    fn add(&self, token: u64, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        epoll::add(&self.all, fd, EventData::new_u64(token), EventFlags::IN)
    }
}

fn tokens(set: &OwnedFd, wait: Option<&Timespec>) -> Result<Vec<u64>, Errno> {
    let mut events: Vec<epoll::Event> = Vec::with_capacity(8);
    rustix::io::retry_on_intr(|| epoll::wait(set, spare_capacity(&mut events), wait))?;
    Ok(events.into_iter().map(|event| event.data.u64()).collect())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn closed_reader_is_a_cause() {
        let wakeups = Wakeups::new().unwrap();
        let (reader, writer) = pipe().unwrap();
        wakeups.watch(Cause::OutputClosed, writer.as_fd()).unwrap();
        wakeups.batch.start(Duration::ZERO).unwrap();
        assert_eq!(wakeups.wait().unwrap(), Ready { batch: true, ..Ready::default() });
        drop(reader);
        assert_eq!(wakeups.wait().unwrap().cause, Some(Cause::OutputClosed));
    }

    #[test]
    fn regular_file_is_accepted_as_an_output() {
        let file = tempfile::tempfile().unwrap();
        let wakeups = Wakeups::new().unwrap();
        assert_eq!(wakeups.watch(Cause::OutputClosed, file.as_fd()), Ok(()));
        assert_eq!(wakeups.forget(file.as_fd()), Ok(()));
    }

    #[test]
    fn first_of_simultaneous_causes_is_returned() {
        let wakeups = Wakeups::new().unwrap();
        let (reader, writer) = pipe().unwrap();
        rustix::io::write(&writer, b"x").unwrap();
        wakeups.watch(Cause::Signal, reader.as_fd()).unwrap();
        wakeups.stop.start(Duration::ZERO).unwrap();
        assert_eq!(wakeups.wait().unwrap().cause, Some(Cause::Signal));
        wakeups.forget(reader.as_fd()).unwrap();
        wakeups.forget(reader.as_fd()).unwrap();
        assert_eq!(wakeups.wait().unwrap().cause, Some(Cause::StopAfter));
    }

    #[test]
    fn data_ends_a_wait_only_if_enabled() {
        let wakeups = Wakeups::new().unwrap();
        let (reader, writer) = pipe().unwrap();
        rustix::io::write(&writer, b"x").unwrap();
        wakeups.watch_data(reader.as_fd()).unwrap();
        assert!(wakeups.wait().unwrap().data);
        wakeups.set_data(reader.as_fd(), false).unwrap();
        wakeups.batch.start(Duration::ZERO).unwrap();
        assert_eq!(wakeups.wait().unwrap(), Ready { batch: true, ..Ready::default() });
        wakeups.set_data(reader.as_fd(), true).unwrap();
        wakeups.batch.stop().unwrap();
        assert_eq!(wakeups.wait().unwrap(), Ready { data: true, ..Ready::default() });
    }
}
