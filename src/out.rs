//! Standard output, whose reader may go away.

use std::io::{Error, ErrorKind, Result, StdoutLock, Write};

/// Standard output. What is written after its reader has gone is discarded: a command then runs to its end, so that its
/// exit status is the same with and without a reader.
pub(crate) struct Out(StdoutLock<'static>);

/// Returns standard output.
pub(crate) fn out() -> Out {
    Out(std::io::stdout().lock())
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.0.write(bytes).or_else(|error| discarded(error, bytes.len()))
    }

    fn flush(&mut self) -> Result<()> {
        self.0.flush().or_else(|error| discarded(error, ()))
    }
}

fn discarded<T>(error: Error, done: T) -> Result<T> {
    if error.kind() == ErrorKind::BrokenPipe { Ok(done) } else { Err(error) }
}
