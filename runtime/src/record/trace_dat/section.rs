//! The head of a section of a version 7 file.

use std::io::{Read, Seek};

use super::TraceDatError;
use super::input::Input;

/// The size of the head of a section, bytes.
pub(super) const HEAD: u64 = 16;

/// The flag of a section that is compressed.
pub(super) const COMPRESSED: u16 = 1;

/// The head of a section.
pub(super) struct Section {
    pub(super) id: u16,
    pub(super) is_compressed: bool,
    /// The number of bytes behind the head.
    pub(super) size: u64,
}

/// Reads the head of the section at an offset.
pub(super) fn section<R: Read + Seek>(input: &mut Input<R>, offset: u64) -> Result<Section, TraceDatError> {
    input.seek(offset)?;
    let id = input.u16("the id of a section")?;
    let flags = input.u16("the flags of a section")?;
    input.u32("the description of a section")?;
    let size = input.u64("the size of a section")?;
    Ok(Section { id, is_compressed: flags & COMPRESSED != 0, size })
}
