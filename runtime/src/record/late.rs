//! A section that few readers need: its bytes are read when they are asked for.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// The bytes of a section, such as the symbols of a kernel, which are megabytes.
#[derive(Debug)]
pub(crate) struct Late(Place);

#[derive(Debug)]
enum Place {
    /// They were read with the rest of the head.
    Memory(Vec<u8>),
    /// They are in the file, which had them when it was opened.
    File { file: File, offset: u64, length: u64 },
}

impl Late {
    /// Returns bytes that are read when they are asked for.
    pub(crate) fn of_file(file: File, offset: u64, length: u64) -> Self {
        Late(Place::File { file, offset, length })
    }

    /// Returns the bytes.
    ///
    /// # Errors
    /// The file cannot be read, or has become shorter.
    pub(crate) fn bytes(&self) -> io::Result<Cow<'_, [u8]>> {
        match &self.0 {
            Place::Memory(bytes) => Ok(Cow::Borrowed(bytes)),
            Place::File { file, offset, length } => {
                let mut bytes = vec![0; *length as usize];
                file.read_exact_at(&mut bytes, *offset)?;
                Ok(Cow::Owned(bytes))
            }
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
