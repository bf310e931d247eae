//! A descriptor whose writes end when the session ends.
//!
//! A reader that stops reading (`less` on its first page) would block a session in `write(2)`, where it could not
//! notice that it should end. An outlet waits for room in the pipe and for the end of the session at once.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::FileType;
use rustix::io::Errno;

/// The number of bytes that a pipe accepts without blocking when it polls as writable: one page (fs/pipe.c,
/// `pipe_poll`).
const PIECE: usize = 4096;

/// The conditions on which an outlet stops waiting for its reader.
#[derive(Debug)]
pub(crate) struct Patience {
    /// Polls as readable when the session should end or pause.
    end: OwnedFd,
    /// The longest wait for the reader to read something; `None` waits until `end`.
    limit: Cell<Option<Duration>>,
}

impl Patience {
    pub(crate) fn new(end: OwnedFd) -> Self {
        Patience { end, limit: Cell::new(None) }
    }

    pub(crate) fn limit(&self, limit: Duration) {
        self.limit.set(Some(limit));
    }
}

/// A writer to a descriptor; fails with [`io::ErrorKind::WouldBlock`] when its [`Patience`] ends.
#[derive(Debug)]
pub(crate) struct Outlet {
    fd: OwnedFd,
    may_stall: bool,
    patience: Rc<Patience>,
}

impl Outlet {
    pub(crate) fn new(fd: OwnedFd, patience: Rc<Patience>) -> Result<Self, Errno> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
        Ok(Outlet { fd, may_stall: kind != FileType::RegularFile, patience })
    }

    /// Waits for room. Errors of the descriptor are ignored here: `write(2)` returns them.
    fn wait(&self) -> io::Result<()> {
        loop {
            let limit = self.patience.limit.get().and_then(|limit| Timespec::try_from(limit).ok());
            let mut fds = [
                PollFd::from_borrowed_fd(self.fd.as_fd(), PollFlags::OUT),
                PollFd::from_borrowed_fd(self.patience.end.as_fd(), PollFlags::IN),
            ];
            match poll(&mut fds, limit.as_ref()) {
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(_) if !fds[0].revents().is_empty() => return Ok(()),
                Ok(_) => return Err(io::ErrorKind::WouldBlock.into()),
            }
        }
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.may_stall {
            return Ok(rustix::io::write(&self.fd, bytes)?);
        }
        let piece = bytes.get(..PIECE).unwrap_or(bytes);
        loop {
            self.wait()?;
            match rustix::io::write(&self.fd, piece) {
                // Another process made the descriptor non-blocking, and another writer filled the pipe.
                Err(Errno::AGAIN) => {}
                written => return Ok(written?),
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{EventfdFlags, eventfd};
    use rustix::pipe::pipe;

    use super::*;

    fn outlet_into_pipe(end: u32) -> (Outlet, Rc<Patience>, OwnedFd) {
        let (reader, writer) = pipe().unwrap();
        let patience = Rc::new(Patience::new(eventfd(end, EventfdFlags::empty()).unwrap()));
        (Outlet::new(writer, Rc::clone(&patience)).unwrap(), patience, reader)
    }

    fn fill(outlet: &mut Outlet) -> io::Error {
        loop {
            if let Err(error) = outlet.write(&[b'x'; 3 * PIECE]) {
                return error;
            }
        }
    }

    #[test]
    fn end_stops_the_wait_for_a_full_pipe() {
        let (mut outlet, _patience, _reader) = outlet_into_pipe(1);
        assert_eq!(fill(&mut outlet).kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn limit_stops_the_wait_for_a_full_pipe() {
        let (mut outlet, patience, _reader) = outlet_into_pipe(0);
        patience.limit(Duration::ZERO);
        assert_eq!(fill(&mut outlet).kind(), io::ErrorKind::WouldBlock);
    }

    #[test]
    fn pipe_without_a_reader_is_epipe() {
        let (mut outlet, _patience, reader) = outlet_into_pipe(0);
        drop(reader);
        assert_eq!(outlet.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn room_is_used_although_the_end_has_come() {
        let (mut outlet, _patience, reader) = outlet_into_pipe(1);
        assert_eq!(outlet.write(b"abc").unwrap(), 3);
        let mut got = [0; 8];
        assert_eq!(rustix::io::read(&reader, &mut got).unwrap(), 3);
    }
}
