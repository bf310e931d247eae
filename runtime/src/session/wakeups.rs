//! The events that a session waits for: causes of its end or of a pause, its renderer, data in the ring, and the time
//! of the next batch.

use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;

use super::timer::Timer;

/// A cause for the end of a session or for a pause, in the order of preference among simultaneous ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WakeupCause {
    Signal,
    Command,
    StopAfter,
    /// The time that is kept after an event has passed.
    Kept,
    /// A process has ended that the session ends with.
    Process,
    OutputClosed,
    /// A signal that pauses recording.
    Pause,
}

impl WakeupCause {
    const ALL: [WakeupCause; 7] = [
        WakeupCause::Signal,
        WakeupCause::Command,
        WakeupCause::StopAfter,
        WakeupCause::Kept,
        WakeupCause::Process,
        WakeupCause::OutputClosed,
        WakeupCause::Pause,
    ];
}

/// The result of a wait; nothing is ready where it took too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Ready {
    pub(super) cause: Option<WakeupCause>,
    /// The renderer has room again, or has ended.
    pub(super) renderer: bool,
    pub(super) data: bool,
    pub(super) batch: bool,
    /// An event has come that the session waits for.
    pub(super) watch: bool,
    /// A dump is written.
    pub(super) dump: bool,
    /// The time in which events do not wake has passed.
    pub(super) rested: bool,
    /// A client of the session has asked for something.
    pub(super) control: bool,
}

/// The number of the ring's descriptor.
pub(super) const DATA: u64 = 16;
/// The number of the renderer's descriptor.
pub(super) const RENDERER: u64 = 17;
const BATCH: u64 = 18;
/// The number of the descriptors of what the session waits for.
pub(super) const WATCH: u64 = 19;
const REST: u64 = 20;
/// The number of the descriptor of the session's control.
pub(super) const CONTROL: u64 = 21;
/// The number of the descriptor of the thread that writes dumps.
pub(super) const DUMP: u64 = 22;

/// How long events that were seen, and do not end the session, do not wake it. The end of a session is cut by the time of
/// its event: only the wake-up is later.
const RESTS: Duration = Duration::from_millis(2);

/// The number of descriptors that can be ready at once.
const MOST: usize = 8;

/// The descriptors of a session.
#[derive(Debug)]
pub(super) struct Wakeups {
    all: OwnedFd,
    /// The time of `stop after`.
    pub(super) stop: Timer,
    /// The time of the next batch.
    pub(super) batch: Timer,
    /// The end of what is kept after an event.
    pub(super) keep: Timer,
    rest: Timer,
}

impl Wakeups {
    pub(super) fn new() -> Result<Self, Errno> {
        let all = epoll::create(CreateFlags::CLOEXEC)?;
        let wakeups = Wakeups {
            all,
            stop: Timer::new()?,
            batch: Timer::new()?,
            keep: Timer::new()?,
            rest: Timer::new()?,
        };
        wakeups.add(BATCH, wakeups.batch.as_fd())?;
        wakeups.watch(WakeupCause::StopAfter, wakeups.stop.as_fd())?;
        wakeups.watch(WakeupCause::Kept, wakeups.keep.as_fd())?;
        wakeups.add(REST, wakeups.rest.as_fd())?;
        Ok(wakeups)
    }

    /// Makes the session end or pause when `fd` is readable, or, for an output, when its reader has closed its end.
    pub(super) fn watch(&self, cause: WakeupCause, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        // Errors and hang-ups are always reported; an output needs nothing else.
        let interest = if cause == WakeupCause::OutputClosed { EventFlags::empty() } else { EventFlags::IN };
        match epoll::add(&self.all, fd, EventData::new_u64(cause as u64), interest) {
            // A regular file cannot be polled, and has no reader.
            Err(Errno::PERM) if cause == WakeupCause::OutputClosed => Ok(()),
            added => added,
        }
    }

    /// Removes `fd`.
    pub(super) fn forget(&self, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        match epoll::delete(&self.all, fd) {
            Err(Errno::NOENT | Errno::PERM) => Ok(()),
            deleted => deleted,
        }
    }

    /// Returns all timers.
    pub(super) fn timers(&self) -> [&Timer; 4] {
        [&self.stop, &self.batch, &self.keep, &self.rest]
    }

    /// Lets events not wake for a while.
    pub(super) fn rest<'f>(&self, mut watches: impl Iterator<Item = BorrowedFd<'f>>) -> Result<(), Errno> {
        watches.try_for_each(|fd| self.set_watch(fd, false))?;
        self.rest.start(RESTS)
    }

    /// Lets events wake again.
    pub(super) fn wake_again<'f>(
        &self,
        mut watches: impl Iterator<Item = BorrowedFd<'f>>,
    ) -> Result<(), Errno> {
        self.rest.stop()?;
        watches.try_for_each(|fd| self.set_watch(fd, true))
    }

    fn set_watch(&self, fd: BorrowedFd<'_>, wakes: bool) -> Result<(), Errno> {
        let interest = if wakes { EventFlags::IN } else { EventFlags::empty() };
        epoll::modify(&self.all, fd, EventData::new_u64(WATCH), interest)
    }

    /// Sets whether data in the ring ends a wait.
    pub(super) fn set_data(&self, ring: BorrowedFd<'_>, wakes: bool) -> Result<(), Errno> {
        let interest = if wakes { EventFlags::IN } else { EventFlags::empty() };
        epoll::modify(&self.all, ring, EventData::new_u64(DATA), interest)
    }

    /// Waits until something is ready, at most so long.
    pub(super) fn wait(&self, limit: Option<Duration>) -> Result<Ready, Errno> {
        let limit = limit.and_then(|limit| Timespec::try_from(limit).ok());
        let mut events: Vec<epoll::Event> = Vec::with_capacity(MOST);
        rustix::io::retry_on_intr(|| epoll::wait(&self.all, spare_capacity(&mut events), limit.as_ref()))?;
        let is_ready = |token| events.iter().any(|event| event.data.u64() == token);
        Ok(Ready {
            cause: WakeupCause::ALL.into_iter().find(|cause| is_ready(*cause as u64)),
            renderer: is_ready(RENDERER),
            data: is_ready(DATA),
            batch: is_ready(BATCH),
            watch: is_ready(WATCH),
            dump: is_ready(DUMP),
            rested: is_ready(REST),
            control: is_ready(CONTROL),
        })
    }

    /// Makes a wait end when the descriptor of this number is readable.
    pub(super) fn add(&self, token: u64, fd: BorrowedFd<'_>) -> Result<(), Errno> {
        epoll::add(&self.all, fd, EventData::new_u64(token), EventFlags::IN)
    }
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
        wakeups.watch(WakeupCause::OutputClosed, writer.as_fd()).unwrap();
        wakeups.batch.start(Duration::ZERO).unwrap();
        assert_eq!(wakeups.wait(None).unwrap(), Ready { batch: true, ..Ready::default() });
        drop(reader);
        assert_eq!(wakeups.wait(None).unwrap().cause, Some(WakeupCause::OutputClosed));
    }

    #[test]
    fn regular_file_is_accepted_as_an_output() {
        let file = tempfile::tempfile().unwrap();
        let wakeups = Wakeups::new().unwrap();
        assert_eq!(wakeups.watch(WakeupCause::OutputClosed, file.as_fd()), Ok(()));
        assert_eq!(wakeups.forget(file.as_fd()), Ok(()));
    }

    #[test]
    fn first_of_simultaneous_causes_is_returned() {
        let wakeups = Wakeups::new().unwrap();
        let (reader, writer) = pipe().unwrap();
        rustix::io::write(&writer, b"x").unwrap();
        wakeups.watch(WakeupCause::Signal, reader.as_fd()).unwrap();
        wakeups.stop.start(Duration::ZERO).unwrap();
        assert_eq!(wakeups.wait(None).unwrap().cause, Some(WakeupCause::Signal));
        wakeups.forget(reader.as_fd()).unwrap();
        wakeups.forget(reader.as_fd()).unwrap();
        assert_eq!(wakeups.wait(None).unwrap().cause, Some(WakeupCause::StopAfter));
    }

    #[test]
    fn data_ends_a_wait_only_if_enabled() {
        let wakeups = Wakeups::new().unwrap();
        let (reader, writer) = pipe().unwrap();
        rustix::io::write(&writer, b"x").unwrap();
        wakeups.add(DATA, reader.as_fd()).unwrap();
        assert!(wakeups.wait(None).unwrap().data);
        wakeups.set_data(reader.as_fd(), false).unwrap();
        wakeups.batch.start(Duration::ZERO).unwrap();
        assert_eq!(wakeups.wait(None).unwrap(), Ready { batch: true, ..Ready::default() });
        wakeups.set_data(reader.as_fd(), true).unwrap();
        wakeups.batch.stop().unwrap();
        assert_eq!(wakeups.wait(None).unwrap(), Ready { data: true, ..Ready::default() });
    }
}
