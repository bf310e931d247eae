//! A buffer of output lines that is written in large pieces.

use std::io::{self, Write};

use super::SinkError;

/// The size in bytes at which the buffer is written.
const ENOUGH: usize = 64 * 1024;

/// A buffer in front of a writer. Unlike `BufWriter` it writes nothing when dropped, and after an error it continues
/// where it stopped.
pub(super) struct Lines {
    out: Box<dyn Write + Send>,
    bytes: Vec<u8>,
    sent: usize,
}

impl Lines {
    pub(super) fn new(out: Box<dyn Write + Send>) -> Self {
        Lines { out, bytes: Vec::with_capacity(ENOUGH + ENOUGH / 8), sent: 0 }
    }

    /// Returns the buffer to append a line to; the line ends with [`Lines::end_line`].
    pub(super) fn line(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub(super) fn end_line(&mut self) -> Result<(), SinkError> {
        self.bytes.push(b'\n');
        if self.bytes.len() - self.sent >= ENOUGH { self.send() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<(), SinkError> {
        self.send()?;
        Ok(self.out.flush()?)
    }

    fn send(&mut self) -> Result<(), SinkError> {
        while let Some(rest) = self.bytes.get(self.sent..).filter(|rest| !rest.is_empty()) {
            match self.out.write(rest) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(written) => self.sent += written,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.bytes.clear();
        self.sent = 0;
        Ok(())
    }
}

/// Appends a decimal number. `std::fmt` is several times slower, and most of a line is numbers.
pub(super) fn push_unsigned(line: &mut Vec<u8>, value: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    let mut rest = value;
    loop {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[first..]);
}

/// Appends a decimal number with its sign.
pub(super) fn push_signed(line: &mut Vec<u8>, value: i64) {
    if value < 0 {
        line.push(b'-');
    }
    push_unsigned(line, value.unsigned_abs());
}

/// Appends a value as `Display` formats it.
pub(super) fn push_shown(line: &mut Vec<u8>, value: impl std::fmt::Display) {
    // Writing to a `Vec` does not fail.
    let _ = write!(line, "{value}");
}

/// Appends `\xNN` for each byte.
pub(super) fn push_hex_escapes(line: &mut Vec<u8>, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        let digit = |nibble: u8| DIGITS[usize::from(nibble & 15)];
        line.extend_from_slice(&[b'\\', b'x', digit(byte >> 4), digit(*byte)]);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// A writer that takes a few bytes at a time, and fails while `full`.
    struct Slow {
        got: Arc<Mutex<Vec<u8>>>,
        full: Arc<Mutex<bool>>,
    }

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if *self.full.lock().unwrap() {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let taken = bytes.len().min(3);
            self.got.lock().unwrap().extend_from_slice(&bytes[..taken]);
            *self.full.lock().unwrap() = true;
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn error_loses_and_repeats_nothing() {
        let (got, full) = (Arc::default(), Arc::default());
        let mut lines = Lines::new(Box::new(Slow { got: Arc::clone(&got), full: Arc::clone(&full) }));
        lines.line().extend_from_slice(b"hello");
        lines.end_line().unwrap();
        assert!(matches!(lines.flush(), Err(SinkError::Io(_))));
        *full.lock().unwrap() = false;
        assert!(lines.flush().is_ok());
        assert_eq!(*got.lock().unwrap(), b"hello\n");
    }

    #[test]
    fn writer_that_takes_nothing_is_an_error() {
        let mut lines = Lines::new(Box::new(&mut [][..]));
        lines.line().push(b'x');
        assert!(
            matches!(lines.flush(), Err(SinkError::Io(error)) if error.kind() == io::ErrorKind::WriteZero)
        );
    }

    #[test]
    fn numbers_are_written_as_std_fmt_writes_them() {
        for value in [0, 1, 9, 10, 99, 1_000_000, u64::MAX] {
            let mut line = Vec::new();
            push_unsigned(&mut line, value);
            assert_eq!(line, value.to_string().as_bytes());
        }
        for value in [0, -1, i64::MIN, i64::MAX] {
            let mut line = Vec::new();
            push_signed(&mut line, value);
            assert_eq!(line, value.to_string().as_bytes());
        }
    }
}
