//! A buffer of output lines that is written in large pieces.

use std::io::{self, Write};

use tracec_kernel::append::{is_printable_ascii, push_decimal, push_fixed, push_short, push_signed};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::record::{Record, Value};

use super::{Printed, SinkError};

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

/// Appends the text of a record. A line break at its end, as texts of `trace_printk` have, ends the line anyway.
pub(super) fn push_text(line: &mut Vec<u8>, text: &Printed<'_>) {
    let from = line.len();
    text.push_line(line);
    end_text(line, from);
}

/// Appends the text of a record that may have times of its own: `time` appends the one so long before the record's.
pub(super) fn push_text_at(line: &mut Vec<u8>, text: &Printed<'_>, time: &dyn Fn(&mut Vec<u8>, u64)) {
    let from = line.len();
    text.push_line_at(time, line);
    end_text(line, from);
}

fn end_text(line: &mut Vec<u8>, from: usize) {
    if line.len() > from && line.last() == Some(&b'\n') {
        line.pop();
    }
}

pub(super) fn push_fields(line: &mut Vec<u8>, record: &Record<'_>) {
    for (field, value) in record.fields() {
        line.push(b' ');
        push_name(line, field.name.as_bytes());
        line.push(b'=');
        match value {
            Ok(Value::Int(value)) => push_signed(line, value),
            Ok(Value::UInt(value)) => push_decimal(line, value),
            Ok(value) => push_shown(line, value),
            Err(error) => push_shown(line, format_args!("<{error}>")),
        }
    }
}

/// Appends a name with escapes: that of a thread, or one of a recording, may contain any byte, and must not break the
/// line.
pub(super) fn push_name(line: &mut Vec<u8>, name: &[u8]) {
    // Nearly all names are ASCII; each byte of those is examined once.
    if is_printable_ascii(name) && !name.contains(&b'\\') {
        push_short(line, name);
    } else {
        push_shown(line, Escaped(name));
    }
}

/// Returns a time rounded to microseconds as in the kernel (`ns2usecs`, kernel/trace/trace.c).
pub(super) fn microseconds(nanoseconds: u64) -> u64 {
    nanoseconds.saturating_add(500) / 1000
}

/// Appends seconds, rounded to [`microseconds`]. The whole seconds are
/// right-aligned to a width.
pub(super) fn push_seconds(line: &mut Vec<u8>, nanoseconds: u64, width: usize) {
    let microseconds = microseconds(nanoseconds);
    push_fixed(line, microseconds / 1_000_000, (microseconds % 1_000_000) as u32, width);
}

/// Appends blanks.
pub(super) fn push_blanks(line: &mut Vec<u8>, count: usize) {
    const BLANKS: &[u8; 32] = &[b' '; 32];
    match BLANKS.get(..count) {
        Some(blanks) => push_short(line, blanks),
        None => line.extend(std::iter::repeat_n(b' ', count)),
    }
}

/// Appends a name, right-aligned to a width.
pub(super) fn push_right(line: &mut Vec<u8>, name: &[u8], width: usize) {
    push_blanks(line, width.saturating_sub(name.len()));
    push_name(line, name);
}

/// Appends a pid, left-aligned to a width.
pub(super) fn push_padded_right(line: &mut Vec<u8>, pid: i32, width: usize) {
    let from = line.len();
    push_signed(line, i64::from(pid));
    line.resize(line.len().max(from + width), b' ');
}

/// Appends the number of a CPU, `[002]`.
pub(super) fn push_cpu(line: &mut Vec<u8>, cpu: u32) {
    line.push(b'[');
    if cpu < 100 {
        line.extend_from_slice(if cpu < 10 { b"00" } else { b"0" });
    }
    push_decimal(line, u64::from(cpu));
    line.push(b']');
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
}
