//! The process that supervises a session after the command that started it has ended.
//!
//! It is forked twice, before any thread exists: it has no terminal, and the shell is not its parent. Until the session is
//! armed the command waits for it at a pipe. If the command is gone by then, nobody knows of the session, and it ends.

use std::io::{Read, Write};

use rustix::fd::OwnedFd;
use rustix::fs::{CWD, Mode, OFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{Pid, WaitOptions, setsid, waitpid};
use serde::{Deserialize, Serialize};

use crate::errno::errno_of;

/// The two processes that [`detach`] returns in.
#[derive(Debug)]
pub enum Detached {
    /// The command, which waits.
    Command(Waiting),
    /// The process that supervises.
    Supervisor(Supervising),
}

/// The command's end of the pipe.
#[derive(Debug)]
pub struct Waiting(OwnedFd);

/// The supervisor's end of the pipe, and what it had as standard output and standard error.
#[derive(Debug)]
pub struct Supervising {
    pipe: OwnedFd,
    /// Standard output and standard error, once they are replaced.
    streams: Option<(OwnedFd, OwnedFd)>,
}

/// What the command reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Armed {
    /// The session is armed; the text says so.
    Yes(String),
    /// It is not, for a reason that was printed; the exit status.
    No(u8),
}

/// Makes a process that supervises.
///
/// # Errors
/// A system call fails; [`Errno::BUSY`] if the process has several threads.
pub fn detach() -> Result<Detached, Errno> {
    if threads()? != 1 {
        return Err(Errno::BUSY);
    }
    let (read, write) = pipe_with(PipeFlags::CLOEXEC)?;
    if let Some(child) = fork()? {
        drop(write);
        rustix::io::retry_on_intr(|| waitpid(Some(child), WaitOptions::empty()))?;
        return Ok(Detached::Command(Waiting(read)));
    }
    drop(read);
    // If one of them fails, this process ends, and the command reads that nothing was said.
    if setsid().is_err() || !matches!(fork(), Ok(None)) {
        // SAFETY: it ends this process, which has nothing to clean up.
        unsafe { libc::_exit(0) };
    }
    let null = null()?;
    rustix::stdio::dup2_stdin(&null)?;
    Ok(Detached::Supervisor(Supervising { pipe: write, streams: None }))
}

/// Returns the child in the parent, and `None` in the child.
fn fork() -> Result<Option<Pid>, Errno> {
    // SAFETY: there is one thread, so that the child has the whole process.
    match unsafe { libc::fork() } {
        -1 => Err(errno_of(&std::io::Error::last_os_error())),
        pid => Ok(Pid::from_raw(pid)),
    }
}

/// Returns the number of threads of this process.
fn threads() -> Result<usize, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    #[expect(clippy::disallowed_methods, reason = "lists the threads of this process")]
    let tasks = rustix::fs::openat(CWD, "/proc/self/task", flags, Mode::empty())?;
    let mut threads = 0;
    for entry in rustix::fs::Dir::read_from(&tasks)? {
        threads += usize::from(!entry?.file_name().to_bytes().starts_with(b"."));
    }
    Ok(threads)
}

fn null() -> Result<OwnedFd, Errno> {
    #[expect(clippy::disallowed_methods, reason = "opens a device")]
    rustix::fs::openat(CWD, "/dev/null", OFlags::RDWR | OFlags::CLOEXEC, Mode::empty())
}

impl Waiting {
    /// Waits until the session is armed or has failed; `None` if its process has ended without a word.
    ///
    /// # Errors
    /// The pipe cannot be read.
    pub fn wait(self) -> Result<Option<Armed>, Errno> {
        let mut text = Vec::new();
        let mut pipe = std::io::PipeReader::from(self.0);
        pipe.read_to_end(&mut text).map_err(|error| errno_of(&error))?;
        Ok(serde_json::from_slice(&text).ok())
    }
}

impl Supervising {
    /// Gives this process, and what it starts, no standard output and no standard error from now on.
    ///
    /// # Errors
    /// A system call fails.
    pub fn silence(&mut self) -> Result<(), Errno> {
        let keep = |fd| rustix::io::fcntl_dupfd_cloexec(fd, 3);
        let streams = (keep(rustix::stdio::stdout())?, keep(rustix::stdio::stderr())?);
        let null = null()?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        self.streams = Some(streams);
        Ok(())
    }

    /// Gives both back, so that a failure can be printed.
    ///
    /// # Errors
    /// A system call fails.
    pub fn speak(&mut self) -> Result<(), Errno> {
        if let Some((stdout, stderr)) = self.streams.take() {
            rustix::stdio::dup2_stdout(&stdout)?;
            rustix::stdio::dup2_stderr(&stderr)?;
        }
        Ok(())
    }

    /// Reports to the command. Returns whether it was there to read it.
    pub fn report(self, armed: &Armed) -> bool {
        let Ok(text) = serde_json::to_vec(armed) else { return false };
        let mut pipe = std::io::PipeWriter::from(self.pipe);
        // A command that was killed has closed its end: SIGPIPE is ignored by the runtime of Rust.
        pipe.write_all(&text).is_ok()
    }
}
