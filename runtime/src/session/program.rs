//! A program that runs before a session does, such as make: a signal that ends this process ends it too, with all that it
//! has started.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

use super::dispositions::Reaping;
use super::signals::Ending;

/// The signals that end this process, held back in the calling thread while this exists. One that arrives has its effect
/// when this is dropped, so that what the thread has made can be removed before.
#[derive(Debug)]
pub struct HeldBack {
    arrived: OwnedFd,
    _signals: Ending,
}

impl HeldBack {
    /// Holds the signals back from now on.
    ///
    /// # Errors
    /// A system call fails.
    pub fn new() -> Result<Self, Errno> {
        let signals = Ending::new()?;
        Ok(HeldBack { arrived: signals.descriptor()?, _signals: signals })
    }

    /// Returns a descriptor that polls as readable once a signal has arrived.
    pub fn arrived(&self) -> BorrowedFd<'_> {
        self.arrived.as_fd()
    }

    /// Runs a program to its end; `None` if a signal has arrived, and ended it.
    ///
    /// The program is the leader of a process group, so that a terminal sends its signals to this process alone. What it
    /// has started and left in the group is killed when it ends. It reads nothing.
    ///
    /// # Errors
    /// It cannot be started, or a system call fails.
    pub fn run(&self, command: &mut Command) -> io::Result<Option<ExitStatus>> {
        let _reaping = Reaping::begin()?;
        let mut child = command.stdin(Stdio::null()).process_group(0).spawn()?;
        let group = Pid::from_child(&child);
        let ended = self.wait(group);
        // Its id stays that of the group until it is waited for. The kernel lets no process of the group fork while it
        // kills them (`copy_process` in kernel/fork.c).
        let killed = kill_process_group(group, Signal::KILL);
        let status = child.wait()?;
        match killed {
            Err(errno) if errno != Errno::SRCH => return Err(errno.into()),
            Ok(()) | Err(_) => {}
        }
        Ok(ended?.then_some(status))
    }

    /// Waits for the end of a process. Returns false if a signal has arrived before.
    fn wait(&self, pid: Pid) -> Result<bool, Errno> {
        let ended = pidfd_open(pid, PidfdFlags::empty())?;
        let mut fds = [PollFd::new(&ended, PollFlags::IN), PollFd::new(&self.arrived, PollFlags::IN)];
        rustix::io::retry_on_intr(|| poll(&mut fds, None))?;
        Ok(fds[1].revents().is_empty())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::super::dispositions::is_ignored;
    use super::super::signals::send;
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn program_ends_with_its_status() {
        let held = HeldBack::new().unwrap();
        let status = held.run(&mut shell("exit 3")).unwrap().expect("no signal");
        assert_eq!(status.code(), Some(3));
        assert!(held.run(&mut Command::new("/no/such/program")).is_err());
    }

    #[test]
    fn program_that_has_ended_leaves_nothing_running() {
        let held = HeldBack::new().unwrap();
        let (mut read, write) = io::pipe().unwrap();
        let mut command = shell("sleep 1000 & exit 0");
        held.run(command.stderr(write)).unwrap().expect("no signal");
        drop(command);
        // The pipe is closed when the last process of the group has ended.
        assert_eq!(read.read(&mut [0]).unwrap(), 0);
    }

    /// That the signal then ends this process is tested with the command (`tests/harness/kbuild.rs`).
    #[test]
    fn signal_ends_the_program_and_all_of_its_group() {
        let signals = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1];
        // One that this process was started with as ignored, as `nohup` does, ends nothing.
        for signal in signals.into_iter().filter(|signal| !is_ignored(*signal)) {
            // The signal stays pending in a thread of its own: otherwise it would end the tests.
            std::thread::spawn(move || ended_by(signal)).join().unwrap();
        }
    }

    fn ended_by(signal: i32) {
        let thread = rustix::thread::gettid();
        let held = HeldBack::new().unwrap();
        let (mut read, write) = io::pipe().unwrap();
        let sender = std::thread::spawn(move || {
            assert_eq!(read.read(&mut [0]).unwrap(), 1, "the program does not run");
            send(thread, signal);
            // The pipe is closed when the last process of the group has ended.
            assert_eq!(read.read(&mut [0]).unwrap(), 0);
        });
        let mut command = shell("sleep 1000 & echo; sleep 1000");
        command.stdout(write);
        assert_eq!(held.run(&mut command).unwrap(), None);
        drop(command);
        sender.join().unwrap();
        std::mem::forget(held);
    }
}
