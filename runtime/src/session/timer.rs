//! A timer that polls as readable when it has expired.

use std::time::Duration;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

#[derive(Debug)]
pub(super) struct Timer {
    fd: OwnedFd,
}

impl Timer {
    pub(super) fn new() -> Result<Self, Errno> {
        let fd = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK)?;
        Ok(Timer { fd })
    }

    /// Starts the timer anew. A wait longer than the kernel supports is shortened to the longest supported one.
    pub(super) fn start(&self, wait: Duration) -> Result<(), Errno> {
        // Zero would stop the timer, but it should expire at once.
        let wait = wait.max(Duration::from_nanos(1));
        let it_value = Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 });
        self.set(it_value)
    }

    /// Stops the timer; it is not readable until it is started again.
    pub(super) fn stop(&self) -> Result<(), Errno> {
        self.set(Timespec { tv_sec: 0, tv_nsec: 0 })
    }

    fn set(&self, it_value: Timespec) -> Result<(), Errno> {
        let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
        let new = Itimerspec { it_interval, it_value };
        timerfd_settime(&self.fd, TimerfdTimerFlags::empty(), &new).map(|_| ())
    }
}

impl AsFd for Timer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    fn has_run_out(timer: &Timer, wait: Option<&Timespec>) -> bool {
        let mut fds = [PollFd::new(timer, PollFlags::IN)];
        poll(&mut fds, wait).unwrap() == 1
    }

    #[test]
    fn zero_wait_expires() {
        let timer = Timer::new().unwrap();
        timer.start(Duration::ZERO).unwrap();
        assert!(has_run_out(&timer, None));
        timer.stop().unwrap();
        assert!(!has_run_out(&timer, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })));
    }

    #[test]
    fn longest_wait_is_accepted() {
        let timer = Timer::new().unwrap();
        timer.start(Duration::MAX).unwrap();
        assert!(!has_run_out(&timer, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })));
    }
}
