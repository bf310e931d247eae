//! The bytes of a file as text.

/// An error of bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at} begins no UTF-8 character")]
pub struct InvalidUtf8 {
    /// Offset of the first byte that is not UTF-8.
    pub at: usize,
}

/// Returns the bytes of a file as text. Nothing is removed or replaced.
///
/// # Errors
///
/// The offset of the first byte that is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, InvalidUtf8> {
    std::str::from_utf8(bytes).map_err(|error| InvalidUtf8 { at: error.valid_up_to() })
}
