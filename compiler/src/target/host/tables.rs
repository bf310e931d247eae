//! The constants that machine code reads from memory: sets, classes of bytes, masks of CPUs.
//!
//! They are one block of bytes, whose address is an argument of the code; an instruction has an offset in it. So the
//! code is the same wherever it lies, and nothing in it has to be relocated.

use rustc_hash::FxHashMap;

/// The block while the code is being made.
#[derive(Debug, Default)]
pub(super) struct Tables {
    bytes: Vec<u8>,
    known: FxHashMap<Box<[u8]>, usize>,
}

impl Tables {
    /// Adds a table unless there is an equal one, and returns its offset.
    pub(super) fn intern(&mut self, table: Vec<u8>) -> i64 {
        let next = self.bytes.len();
        let offset = *self.known.entry(table.into()).or_insert_with_key(|table| {
            self.bytes.extend_from_slice(table);
            next
        });
        offset as i64
    }

    /// Returns the block.
    pub(super) fn into_bytes(self) -> Box<[u8]> {
        self.bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use super::Tables;

    #[test]
    fn equal_tables_are_one() {
        let mut tables = Tables::default();
        let offsets = [&[1, 2][..], &[3], &[1, 2]].map(|table| tables.intern(table.to_vec()));
        assert_eq!(offsets, [0, 2, 0]);
        assert_eq!(*tables.into_bytes(), [1, 2, 3]);
    }
}
