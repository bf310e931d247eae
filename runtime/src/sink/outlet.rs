//! A descriptor that records are written to.

use std::io::{self, Write};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::FileType;
use rustix::io::Errno;

use super::progress::Progress;

/// The size in bytes of one write to anything but a regular file. A slow reader shows in small steps that it reads: a
/// pipe has room for so much when it polls as writable (fs/pipe.c, `pipe_poll`).
const PIECE: usize = 4096;

/// A writer to a descriptor, which may wait for its reader without a limit.
///
/// The descriptor may be shared with other programs, as that of a shell's terminal is, so its flags are not changed.
#[derive(Debug)]
pub(crate) struct Outlet {
    fd: OwnedFd,
    piece: usize,
    /// Counts the writes, and says when to stop: a thread that was stuck in a write may have more to write.
    progress: Arc<Progress>,
}

impl Outlet {
    pub(crate) fn new(fd: OwnedFd, progress: Arc<Progress>) -> Result<Self, Errno> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&fd)?.st_mode);
        let piece = if kind == FileType::RegularFile { usize::MAX } else { PIECE };
        Ok(Outlet { fd, piece, progress })
    }

    /// Waits for room in a descriptor that somebody else has made non-blocking.
    fn wait(&self) -> Result<(), Errno> {
        let mut fds = [PollFd::from_borrowed_fd(self.fd.as_fd(), PollFlags::OUT)];
        rustix::io::retry_on_intr(|| poll(&mut fds, None)).map(drop)
    }
}

impl Write for Outlet {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = bytes.get(..self.piece).unwrap_or(bytes);
        loop {
            if self.progress.is_left() {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            match rustix::io::write(&self.fd, piece) {
                Err(Errno::AGAIN) => self.wait()?,
                written => {
                    self.progress.step();
                    return Ok(written?);
                }
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;

    fn outlet_into_pipe(flags: PipeFlags) -> (Outlet, Arc<Progress>, OwnedFd) {
        let (reader, writer) = pipe_with(flags).unwrap();
        let progress = Arc::default();
        (Outlet::new(writer, Arc::clone(&progress)).unwrap(), progress, reader)
    }

    #[test]
    fn pipe_without_a_reader_is_epipe() {
        let (mut outlet, _, reader) = outlet_into_pipe(PipeFlags::empty());
        drop(reader);
        assert_eq!(outlet.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn writes_are_pieces_that_are_counted() {
        let (mut outlet, progress, _reader) = outlet_into_pipe(PipeFlags::empty());
        assert_eq!(outlet.write(&[b'x'; 3 * PIECE]).unwrap(), PIECE);
        assert_eq!(outlet.write(b"abc").unwrap(), 3);
        assert_eq!(progress.steps(), 2);
    }

    #[test]
    fn outlet_that_was_left_writes_nothing_more() {
        let (mut outlet, progress, reader) = outlet_into_pipe(PipeFlags::NONBLOCK);
        progress.leave();
        assert_eq!(outlet.write(b"x").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        assert_eq!(rustix::io::read(&reader, &mut [0; 8]), Err(Errno::AGAIN));
        assert_eq!(progress.steps(), 0);
    }

    #[test]
    fn full_pipe_that_does_not_block_is_waited_for() {
        let (mut outlet, _, reader) = outlet_into_pipe(PipeFlags::NONBLOCK);
        while rustix::io::write(&outlet.fd, &[b'x'; PIECE]).is_ok() {}
        let taken = std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * PIECE];
            rustix::io::read(&reader, &mut buffer).unwrap();
            reader
        });
        assert_eq!(outlet.write(b"abc").unwrap(), 3);
        taken.join().unwrap();
    }
}
