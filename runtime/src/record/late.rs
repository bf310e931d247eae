//! A section that few readers need: its bytes are read when they are asked for.

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The bytes of a section, such as the symbols of a kernel, which are megabytes.
#[derive(Debug)]
pub(crate) struct Late(Place);

enum Place {
    /// They were read with the rest of the head.
    Memory(Vec<u8>),
    /// They are in the file, which had them when it was opened.
    File { file: File, offset: u64, length: u64, decode: Box<Decode> },
}

/// Makes what is asked for of the bytes in the file.
type Decode = dyn Fn(Vec<u8>) -> io::Result<Vec<u8>> + Send + Sync;

impl Late {
    /// Returns bytes that are read and decoded when they are asked for.
    pub(crate) fn of_file(
        file: File,
        (offset, length): (u64, u64),
        decode: impl Fn(Vec<u8>) -> io::Result<Vec<u8>> + Send + Sync + 'static,
    ) -> Self {
        Late(Place::File { file, offset, length, decode: Box::new(decode) })
    }

    /// Returns the bytes.
    ///
    /// # Errors
    /// The file cannot be read, or has become shorter, or what is there cannot be decoded.
    pub(crate) fn bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.0 {
            Place::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Place::File { file, offset, length, decode } => {
                let mut bytes = vec![0; *length as usize];
                file.read_exact_at(&mut bytes, *offset)?;
                decode(bytes).map(Cow::Owned)
            }
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Memory(bytes) => write!(f, "{} bytes", bytes.len()),
            Place::File { offset, length, .. } => write!(f, "{length} bytes at {offset}"),
        }
    }
}

impl Default for Late {
    fn default() -> Self {
        Vec::new().into()
    }
}

impl From<Vec<u8>> for Late {
    fn from(bytes: Vec<u8>) -> Self {
        Late(Place::Memory(bytes))
    }
}
