//! The bytes of a profile: a file that is read in parts, or memory.

use std::fmt;

/// Bytes that can be read in any order. This crate does no I/O; the code that opens a file implements this.
pub trait Bytes {
    /// Returns the number of bytes.
    fn len(&self) -> u64;

    /// Fills `buffer` from `offset` on.
    ///
    /// # Errors
    /// [`ReadFailed`], if they cannot be read or end before.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed>;

    /// Returns whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A failure to read bytes, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFailed(pub String);

impl fmt::Display for ReadFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Bytes for &[u8] {
    fn len(&self) -> u64 {
        <[u8]>::len(self) as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        let range =
            usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(buffer.len())?));
        match range.and_then(|range| self.get(range)) {
            Some(bytes) => {
                buffer.copy_from_slice(bytes);
                Ok(())
            }
            None => Err(ReadFailed("the bytes end before".to_owned())),
        }
    }
}

impl<B: Bytes + ?Sized> Bytes for Box<B> {
    fn len(&self) -> u64 {
        (**self).len()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), ReadFailed> {
        (**self).read_at(offset, buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_past_the_end_is_an_error() {
        let bytes: &[u8] = b"abc";
        let mut two = [0; 2];
        assert_eq!(bytes.read_at(1, &mut two), Ok(()));
        assert_eq!(&two, b"bc");
        for offset in [2, 3, u64::MAX] {
            assert!(bytes.read_at(offset, &mut two).is_err(), "{offset}");
        }
        assert!(!bytes.is_empty() && Bytes::is_empty(&&b""[..]));
    }
}
