//! The processes that a session ends with.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tracec_kernel::plan::StopProcess;

use super::scope::NoTask;
use crate::failure::Failure;

/// The processes, each held by a descriptor: an id that is used again is not mistaken for it.
#[derive(Debug, Default)]
pub(super) struct Processes(Vec<(u32, OwnedFd)>);

impl Processes {
    pub(super) fn open(all: &[StopProcess]) -> Result<Self, Failure> {
        let open = |process: &StopProcess| {
            let id = i32::try_from(process.id).ok().and_then(Pid::from_raw);
            let opened = id.ok_or(Errno::SRCH).and_then(|id| pidfd_open(id, PidfdFlags::empty()));
            match opened {
                Ok(fd) => Ok((process.id, fd)),
                // A thread that is not the first of its process is refused (`pidfd_open`, kernel/pid.c).
                Err(Errno::SRCH | Errno::INVAL) => {
                    let task = NoTask::Process(process.id).to_string();
                    Err(Failure::NoProcess { task, origin: process.origin })
                }
                Err(errno) => Err(Failure::system("pidfd_open")(errno)),
            }
        };
        all.iter().map(open).collect::<Result<_, _>>().map(Processes)
    }

    /// Returns the descriptors, which poll as readable when their process has ended.
    pub(super) fn descriptors(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.0.iter().map(|(_, fd)| fd.as_fd())
    }

    /// Returns the id of the first process that has ended.
    pub(super) fn ended(&self) -> Result<Option<u32>, Errno> {
        let mut fds: Vec<PollFd<'_>> = self.0.iter().map(|(_, fd)| PollFd::new(fd, PollFlags::IN)).collect();
        rustix::io::retry_on_intr(|| poll(&mut fds, Some(&Timespec::default())))?;
        let ended = fds.iter().position(|fd| fd.revents().contains(PollFlags::IN));
        Ok(ended.and_then(|at| self.0.get(at)).map(|(id, _)| *id))
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::plan::Span;

    use super::*;

    fn process(id: u32) -> StopProcess {
        StopProcess { id, origin: Span::default() }
    }

    #[test]
    fn process_that_has_ended_is_named() {
        let mut child = std::process::Command::new("/bin/sleep").arg("1000").spawn().unwrap();
        let own = std::process::id();
        let processes = Processes::open(&[process(own), process(child.id())]).unwrap();
        assert_eq!(processes.ended(), Ok(None));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(processes.ended(), Ok(Some(child.id())));
        assert_eq!(processes.descriptors().count(), 2);
    }

    #[test]
    fn process_that_does_not_exist_is_refused() {
        for id in [0, 4 << 20, u32::MAX] {
            let refused = Processes::open(&[process(id)]);
            assert!(matches!(refused, Err(Failure::NoProcess { .. })), "{id}: {refused:?}");
        }
    }
}
