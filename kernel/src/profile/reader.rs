//! A profile that is read part by part.

use super::bytes::Bytes;
use super::container::{BlockEntry, BlockTable, Section, stored, unpack};
use super::error::ProfileError;
use super::events::{EventId, EventIndex};
use super::facts::Facts;

/// A profile. Opening it reads its table, its facts and its index of events; the rest is read when asked for.
#[derive(Debug)]
pub struct Profile<B> {
    bytes: B,
    table: BlockTable,
    facts: Facts,
    index: EventIndex,
}

/// An unpacked block of layouts. Neighbouring events are often read together: a caller that keeps the last block does
/// not unpack it for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    number: u32,
    bytes: Vec<u8>,
}

impl<B: Bytes> Profile<B> {
    /// Opens a profile.
    ///
    /// # Errors
    /// [`ProfileError`] if the file is not a profile, is of a later version, or is damaged.
    pub fn open(bytes: B) -> Result<Self, ProfileError> {
        let table = BlockTable::read(&bytes)?;
        let part = |section: Section| {
            let blocks = table.blocks(section);
            let blocks =
                blocks.ok_or_else(|| ProfileError::damaged(format!("it has no {}", section.name())))?;
            whole(&bytes, section, blocks)
        };
        let facts = Facts::from_bytes(&part(Section::Facts)?)?;
        let index = part(Section::Index)?;
        let layouts = table.blocks(Section::Formats).unwrap_or_default();
        let lengths: Vec<u32> = layouts.iter().map(|block| block.length).collect();
        let index = EventIndex::parse(&index, &lengths)?;
        Ok(Profile { bytes, table, facts, index })
    }

    /// Checks every byte that the compiler may read: all sections except functions and BTF.
    ///
    /// # Errors
    /// [`ProfileError`] with the part that is damaged.
    pub fn verify(&self) -> Result<(), ProfileError> {
        for section in [Section::Formats, Section::Readme] {
            for block in self.table.blocks(section).unwrap_or_default() {
                stored(&self.bytes, section, block)?;
            }
        }
        Ok(())
    }

    /// Returns the names, numbers and lists.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Returns the index of events.
    pub fn index(&self) -> &EventIndex {
        &self.index
    }

    /// Returns whether a section was saved.
    pub fn has(&self, section: Section) -> bool {
        self.table.blocks(section).is_some()
    }

    /// Returns the length of the file.
    pub fn len(&self) -> u64 {
        self.bytes.len()
    }

    /// Returns whether the file is empty; an open profile never is.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the text of an event's `format` file. `kept` is the block of the last call, or `None`; it is used if it
    /// holds the layout, and replaced otherwise.
    ///
    /// # Errors
    /// [`ProfileError`] if the block is damaged.
    pub fn format(&self, event: EventId, kept: &mut Option<Block>) -> Result<String, ProfileError> {
        let gone = || ProfileError::damaged("an event is not in its blocks");
        let event = self.index.get(event).ok_or_else(gone)?;
        let block = match kept.take().filter(|block| block.number == event.block) {
            Some(block) => kept.insert(block),
            None => kept.insert(self.block(event.block)?),
        };
        let start = event.start as usize;
        let text = start.checked_add(event.length as usize).and_then(|end| block.bytes.get(start..end));
        text_of(text.ok_or_else(gone)?.to_vec(), Section::Formats)
    }

    /// Returns the text of `README`.
    ///
    /// # Errors
    /// [`ProfileError::Without`] if it was not saved; another one if it is damaged.
    pub fn readme(&self) -> Result<String, ProfileError> {
        text_of(self.optional(Section::Readme)?, Section::Readme)
    }

    /// Returns the functions that can be traced, a line each, sorted: `NAME` or `NAME [MODULE]`.
    ///
    /// # Errors
    /// [`ProfileError::Without`] if they were not saved; another one if they are damaged.
    pub fn functions(&self) -> Result<String, ProfileError> {
        text_of(self.optional(Section::Functions)?, Section::Functions)
    }

    /// Returns the kernel's BTF, as `/sys/kernel/btf/vmlinux` gives it.
    ///
    /// # Errors
    /// [`ProfileError::Without`] if it was not saved; another one if it is damaged.
    pub fn btf(&self) -> Result<Vec<u8>, ProfileError> {
        self.optional(Section::Btf)
    }

    fn block(&self, number: u32) -> Result<Block, ProfileError> {
        let blocks = self.table.blocks(Section::Formats).unwrap_or_default();
        let entry = blocks.get(number as usize);
        let entry = entry.ok_or_else(|| ProfileError::damaged("an event is in a block that is not there"))?;
        Ok(Block { number, bytes: unpack(&self.bytes, Section::Formats, entry)? })
    }

    fn optional(&self, section: Section) -> Result<Vec<u8>, ProfileError> {
        let blocks = self.table.blocks(section).ok_or(ProfileError::Without(section.name()))?;
        whole(&self.bytes, section, blocks)
    }
}

/// Reads a whole section. Its blocks are unpacked one by one, each after its checksum: memory grows with the data that
/// is really there.
fn whole(bytes: &impl Bytes, section: Section, blocks: &[BlockEntry]) -> Result<Vec<u8>, ProfileError> {
    let mut all = Vec::new();
    for block in blocks {
        all.append(&mut unpack(bytes, section, block)?);
    }
    Ok(all)
}

fn text_of(bytes: Vec<u8>, section: Section) -> Result<String, ProfileError> {
    String::from_utf8(bytes).map_err(|_| ProfileError::damaged(format!("its {} is not text", section.name())))
}
