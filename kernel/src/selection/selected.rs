//! What a filter of pages finds, and the trait of such filters.

use std::fmt;

use crate::page::{Entries, PageError};

/// A record that is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Selected {
    /// The time when it was written, in units of the instance's clock.
    pub timestamp: u64,
    /// The offset of its bytes in those of the [walk](Entries::bytes).
    pub offset: u32,
    /// The number of its bytes.
    pub length: u32,
    /// The number of the condition that holds for it, or [`OTHER`](Self::OTHER), or [`REJECTED`](Self::REJECTED).
    pub condition: u32,
}

impl Selected {
    /// The record is not of an event of the selection.
    pub const OTHER: u32 = u32::MAX;

    /// No condition of the record's event holds.
    pub const REJECTED: u32 = u32::MAX - 1;

    /// The largest number that a condition may have.
    pub const LAST_NUMBER: u32 = u32::MAX - 2;

    /// Returns the bytes of the record, the common header first. `bytes` are those of the walk.
    pub fn record<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let rest = bytes.get(self.offset as usize..).unwrap_or_default();
        rest.get(..self.length as usize).unwrap_or(rest)
    }
}

/// What selects records of ring-buffer pages by a [`Selection`](super::Selection).
pub trait PageFilter: fmt::Debug + Send + Sync {
    /// Walks over entries to their end, and adds the records that are selected to `selected`. Returns how many records
    /// there were in all.
    ///
    /// The entries are those of a page with the selection's layout, or a part of them; `cpu` is the one whose ring it
    /// is from. Afterwards the walk stands at its end, also where it ended with an error; its
    /// [time](Entries::timestamp) is that of the last entry that was read.
    ///
    /// # Errors
    /// The error of the walk; the records before it have been added. [`PageError::ByteOrder`] if the walk is in another
    /// byte order than the selection's.
    fn select(
        &self,
        entries: &mut Entries<'_>,
        cpu: u32,
        selected: &mut Vec<Selected>,
    ) -> Result<u64, PageError>;
}
