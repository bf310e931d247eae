//! The command of a session. It is forked early, and executed once recording is on.
//!
//! The unsafe code is what the child runs between fork and exec.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::Builder;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};

use super::dispositions::Reaping;
use super::signals::{Blocked, Mask};
use super::user::User;
use crate::failure::Failure;

/// A forked child that waits before it executes its program. If this is dropped, the child exits without executing it.
pub(super) struct Held {
    program: String,
    /// The id of the child, which the program keeps.
    id: u32,
    /// `None` once it was released.
    child: Option<Waiting>,
}

struct Waiting {
    /// A pipe: writing to it lets the child continue, closing it ends the child.
    gate: OwnedFd,
    spawner: Spawner,
    reaping: Reaping,
}

/// The thread that forks: `Command::spawn` returns only after exec. It ends when this is dropped, because a session
/// that records the ends of tasks would record its end.
#[derive(Debug)]
struct Spawner {
    spawned: Receiver<io::Result<Child>>,
    /// The thread waits until this is closed; nothing is sent.
    _stay: Sender<Infallible>,
}

/// A running command.
#[derive(Debug)]
pub(super) struct Running {
    child: Child,
    pidfd: OwnedFd,
    _spawner: Spawner,
    _reaping: Reaping,
}

impl Spawner {
    /// Starts the thread, which blocks `mask`.
    fn start(mut command: Command, mask: Mask) -> io::Result<Self> {
        let (report, spawned) = mpsc::channel();
        let (stay, until_closed) = mpsc::channel::<Infallible>();
        Builder::new().name("tracec".to_owned()).spawn(move || {
            // A new thread has the mask of its creator, except for a signal that glibc unblocks
            // (`__pthread_create_2_1`).
            let child = mask.block().map_err(io::Error::from).and_then(|()| command.spawn());
            // The command holds this process's ends of the pipes to the child.
            drop(command);
            // If the receiver is gone, the thread need not wait.
            if report.send(child).is_ok() {
                let _ = until_closed.recv();
            }
        })?;
        Ok(Spawner { spawned, _stay: stay })
    }

    /// Waits until the child has executed its program, or has ended without executing it.
    fn child(&self) -> io::Result<Child> {
        self.spawned.recv().unwrap_or_else(|_| Err(no_child()))
    }
}

impl Held {
    /// Forks a child for a program and its arguments, as a user if one is named. The program gets the signal mask that was in
    /// force before `blocked`.
    pub(super) fn fork(words: &[OsString], user: Option<User>, blocked: &Blocked) -> Result<Self, Failure> {
        let mut words = words.iter();
        let program = words.next().ok_or_else(|| Failure::Command {
            program: String::new(),
            source: io::Error::new(io::ErrorKind::InvalidInput, "the command is empty"),
        })?;
        let mut command = Command::new(program);
        command.args(words);
        let program = program.to_string_lossy().into_owned();
        match fork_and_hold(command, user, blocked) {
            Ok((child, id)) => Ok(Held { program, id, child: Some(child) }),
            Err(source) => Err(Failure::Command { program, source }),
        }
    }

    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// Lets the child execute its program.
    pub(super) fn release(mut self) -> Result<Running, Failure> {
        self.open_gate().map_err(|source| Failure::Command { program: self.program.clone(), source })
    }

    fn open_gate(&mut self) -> io::Result<Running> {
        let Waiting { gate, spawner, reaping } = self.child.take().ok_or_else(no_child)?;
        let opened = rustix::io::retry_on_intr(|| rustix::io::write(&gate, &[1]));
        drop(gate);
        // Without the byte the child ends, and is reaped here.
        let child = spawner.child();
        opened?;
        let child = child?;
        let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty())?;
        Ok(Running { child, pidfd, _spawner: spawner, _reaping: reaping })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(Waiting { gate, spawner, reaping: _reaping }) = self.child.take() {
            drop(gate);
            // The child exits with an error, and `spawn` reaps it.
            let _ = spawner.child();
        }
    }
}

impl Running {
    /// Returns a descriptor that polls as readable when the command has ended.
    pub(super) fn ended(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Waits for the end of the command and returns its status.
    pub(super) fn wait(&mut self) -> io::Result<ExitStatus> {
        self.child.wait()
    }

    /// Returns the status of the command if it ends within `patience`.
    pub(super) fn wait_at_most(&mut self, patience: Duration) -> io::Result<Option<ExitStatus>> {
        let patience = Timespec::try_from(patience).map_err(|_| Errno::INVAL)?;
        let mut ended = [PollFd::new(&self.pidfd, PollFlags::IN)];
        rustix::io::retry_on_intr(|| poll(&mut ended, Some(&patience)))?;
        self.child.try_wait()
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGTERM to the command.
    pub(super) fn terminate(&self) -> Result<(), Errno> {
        match pidfd_send_signal(&self.pidfd, Signal::TERM) {
            Err(Errno::SRCH) => Ok(()),
            sent => sent,
        }
    }
}

/// Forks the child, and returns it with its id.
fn fork_and_hold(mut command: Command, user: Option<User>, blocked: &Blocked) -> io::Result<(Waiting, u32)> {
    if let Some(user) = &user {
        command.env("HOME", user.home());
    }
    let reaping = Reaping::begin()?;
    let (wait, gate) = pipe_with(PipeFlags::CLOEXEC)?;
    let (waiting, arrived) = pipe_with(PipeFlags::CLOEXEC)?;
    let gate_number = gate.as_raw_fd();
    let (mask, before, dispositions) = (blocked.mask(), blocked.before(), reaping.before());
    let hold = move || {
        // The standard library has unblocked all signals. One that the terminal sends to the whole process group must
        // not end the child before it is released: that would be an error of the command.
        mask.block()?;
        // SAFETY: in the child this number is its own copy of `gate`, which nothing there uses. It must be closed:
        // otherwise the child would keep the pipe open by which it notices its parent's death.
        unsafe { rustix::io::close(gate_number) };
        // Before it says that it is there: nothing has been applied yet, if it cannot.
        if let Some(user) = &user {
            user.become_it()?;
        }
        rustix::io::write(&arrived, &getpid().as_raw_nonzero().get().to_ne_bytes())?;
        let mut go = [0];
        if rustix::io::retry_on_intr(|| rustix::io::read(&wait, &mut go))? == 0 {
            return Err(Errno::CANCELED.into());
        }
        dispositions.hand_to_program()?;
        Ok(before.hand_to_program()?)
    };
    // SAFETY: `hold` makes system calls only: no allocation, no lock, nothing that another thread of the parent could
    // have left half done.
    unsafe { command.pre_exec(hold) };
    let spawner = Spawner::start(command, mask)?;
    // glibc unblocks two signals in the thread that creates the first thread of a process (`late_init`).
    mask.block()?;
    // Waits for the fork: files opened from now on must not be shared with the child.
    let mut id = [0; 4];
    // So few bytes are written at once.
    match rustix::io::retry_on_intr(|| rustix::io::read(&waiting, &mut id))? {
        0 => Err(spawner.child().err().unwrap_or_else(no_child)),
        _ => Ok((Waiting { gate, spawner, reaping }, u32::from_ne_bytes(id))),
    }
}

fn no_child() -> io::Error {
    io::Error::other("the child was lost before it ran")
}

#[cfg(test)]
mod tests {
    use super::super::signals::Signals;
    use super::*;

    fn held(words: &[&str]) -> Result<Held, Failure> {
        let signals = Signals::block(&[]).unwrap();
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        Held::fork(&words, None, signals.blocked())
    }

    #[test]
    fn program_does_not_run_before_release() {
        let dir = tempfile::tempdir().unwrap();
        let proof = dir.path().join("proof");
        let script = format!("echo x > '{}'", proof.display());
        drop(held(&["/bin/sh", "-c", &script]).unwrap());
        assert!(!proof.exists());
        let mut running = held(&["/bin/sh", "-c", &script]).unwrap().release().unwrap();
        assert!(running.wait().unwrap().success());
        assert!(proof.exists());
    }

    #[test]
    fn program_has_the_id_of_the_held_child() {
        let held = held(&["/bin/sleep", "1000"]).unwrap();
        let id = held.id();
        let running = held.release().unwrap();
        assert_eq!(running.pid(), id);
        running.terminate().unwrap();
    }

    #[test]
    fn missing_program_is_reported_at_release() {
        let held = held(&["/no/such/program"]).unwrap();
        let Err(Failure::Command { program, source }) = held.release() else { panic!("it ran") };
        assert_eq!(program, "/no/such/program");
        assert_eq!(source.kind(), io::ErrorKind::NotFound);
        assert!(matches!(self::held(&[]), Err(Failure::Command { .. })));
    }

    /// Returns the signal set of a line of `/proc/PID/status`.
    fn signal_set(status: &str, name: &str) -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        u64::from_str_radix(line.trim(), 16).unwrap()
    }

    #[test]
    fn program_gets_the_original_signal_mask() {
        let dir = tempfile::tempdir().unwrap();
        let copy = dir.path().join("status");
        let script = format!("cat /proc/self/status > '{}'", copy.display());
        let mut running = held(&["/bin/sh", "-c", &script]).unwrap().release().unwrap();
        assert!(running.wait().unwrap().success());
        let own = std::fs::read_to_string("/proc/thread-self/status").unwrap();
        let its = std::fs::read_to_string(&copy).unwrap();
        assert_eq!(signal_set(&its, "SigBlk:"), signal_set(&own, "SigBlk:"));
        // Rust's runtime has ignored SIGPIPE for this process; the live tests start one that ignores it.
        let sigpipe = 1 << (Signal::PIPE.as_raw() - 1);
        assert_eq!(signal_set(&own, "SigIgn:") & sigpipe, sigpipe, "without this the test proves nothing");
        assert_eq!(signal_set(&its, "SigIgn:"), signal_set(&own, "SigIgn:") & !sigpipe);
    }

    #[test]
    fn running_command_can_be_terminated() {
        let mut running = held(&["/bin/sleep", "1000"]).unwrap().release().unwrap();
        running.terminate().unwrap();
        assert!(!running.wait().unwrap().success());
        assert!(running.wait_at_most(Duration::ZERO).unwrap().is_some());
        running.terminate().unwrap();
    }

    #[test]
    fn wait_for_a_command_ends_with_the_patience() {
        let mut running = held(&["/bin/sleep", "1000"]).unwrap().release().unwrap();
        assert_eq!(running.wait_at_most(Duration::ZERO).unwrap(), None);
        running.terminate().unwrap();
        assert!(running.wait_at_most(Duration::from_secs(60)).unwrap().is_some());
    }

    #[test]
    fn forking_thread_outlives_its_command() {
        let mut running = held(&["/bin/true"]).unwrap().release().unwrap();
        assert!(running.wait().unwrap().success());
        // The end of the thread would close this channel.
        let spawned = running._spawner.spawned.recv_timeout(Duration::from_millis(20));
        assert_eq!(spawned.unwrap_err(), mpsc::RecvTimeoutError::Timeout);
    }
}
