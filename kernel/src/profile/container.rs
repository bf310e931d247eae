//! The container format: header, table, blocks.

use super::bytes::Bytes;
use super::error::ProfileError;
use super::signature::{MAGIC, VERSION};
use crate::bytes::ByteOrder;
use crate::grouped::Grouped;

/// Magic, version, length of the table, checksum of the table.
const HEADER: usize = 8 + 4 + 4 + 4;
/// A section's kind and its number of blocks.
const SECTION: usize = 4 + 4;
/// A block's stored length, length and checksum.
const BLOCK: usize = 4 + 4 + 4;

/// The longest table: 60,000 blocks.
const MAX_TABLE: usize = 1 << 20;
/// The longest block, unpacked. A writer makes much shorter ones.
pub(super) const MAX_BLOCK: usize = 1 << 20;

/// A part of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Section {
    /// Names, numbers and lists.
    Facts,
    /// The index of the events' layouts.
    Index,
    /// The `format` files.
    Formats,
    /// `README`.
    Readme,
    /// `available_filter_functions`.
    Functions,
    /// `/sys/kernel/btf/vmlinux`.
    Btf,
}

impl Section {
    /// All sections, in the order of the file.
    pub const ALL: [Section; 6] =
        [Section::Facts, Section::Index, Section::Formats, Section::Readme, Section::Functions, Section::Btf];

    fn number(self) -> u32 {
        match self {
            Section::Facts => 1,
            Section::Index => 2,
            Section::Formats => 3,
            Section::Readme => 4,
            Section::Functions => 5,
            Section::Btf => 6,
        }
    }

    /// Returns the greatest length, unpacked.
    pub(super) fn limit(self) -> u64 {
        match self {
            Section::Facts | Section::Readme => 1 << 20,
            // Some 60 KiB on real kernels; it takes up to twenty times as much in memory.
            Section::Index => 2 << 20,
            Section::Formats | Section::Functions => 128 << 20,
            Section::Btf => 256 << 20,
        }
    }

    /// Returns its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Section::Facts => "facts",
            Section::Index => "index of events",
            Section::Formats => "layouts of events",
            Section::Readme => "README",
            Section::Functions => "function names",
            Section::Btf => "BTF",
        }
    }
}

/// A compressed piece of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BlockEntry {
    /// The offset in the file.
    pub(super) offset: u64,
    /// Its length in the file.
    pub(super) stored: u32,
    /// Its length unpacked.
    pub(super) length: u32,
    /// The checksum of the stored bytes.
    pub(super) sum: u32,
}

/// The table of all blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BlockTable {
    sections: Vec<(Section, Vec<BlockEntry>)>,
}

impl BlockTable {
    /// Reads header and table, and checks that the lengths add up to that of the file.
    pub(super) fn read(bytes: &impl Bytes) -> Result<Self, ProfileError> {
        let mut header = [0; HEADER];
        let beginning = MAGIC.len().min(usize::try_from(bytes.len()).unwrap_or(usize::MAX));
        read(bytes, 0, &mut header[..beginning])?;
        if !MAGIC.starts_with(&header[..beginning]) || beginning == 0 {
            return Err(ProfileError::NotAProfile);
        }
        if bytes.len() < HEADER as u64 {
            return Err(cut_short());
        }
        read(bytes, 0, &mut header)?;
        let version = number(&header, 8)?;
        if version > VERSION {
            return Err(ProfileError::FutureVersion { found: version });
        }
        if version == 0 {
            return Err(ProfileError::damaged("version 0 does not exist"));
        }
        let length = number(&header, 12)? as usize;
        if length > MAX_TABLE {
            return Err(ProfileError::damaged(format!("a table of {} bytes", Grouped(length))));
        }
        let blocks_at = (HEADER + length) as u64;
        if bytes.len() < blocks_at {
            return Err(cut_short());
        }
        let mut table = vec![0; length];
        read(bytes, HEADER as u64, &mut table)?;
        if crc32fast::hash(&table) != number(&header, 16)? {
            return Err(ProfileError::damaged("the checksum of its table does not fit"));
        }
        BlockTable::parse(&table, blocks_at, bytes.len())
    }

    fn parse(table: &[u8], mut offset: u64, end: u64) -> Result<Self, ProfileError> {
        let (mut at, mut sections) = (0, Vec::<(Section, Vec<BlockEntry>)>::new());
        while at < table.len() {
            let (kind, count) = (number(table, at)?, number(table, at + 4)? as usize);
            at += SECTION;
            if count > (table.len() - at) / BLOCK {
                return Err(ProfileError::damaged("a section has more blocks than its table"));
            }
            let mut blocks = Vec::with_capacity(count);
            for _ in 0..count {
                let entry = BlockEntry {
                    offset,
                    stored: number(table, at)?,
                    length: number(table, at + 4)?,
                    sum: number(table, at + 8)?,
                };
                at += BLOCK;
                // Both are below 2^32 and there are less than 2^17 of them: no overflow.
                offset += u64::from(entry.stored);
                blocks.push(entry);
            }
            // Versions up to this one have no other sections; an unknown number is an error, so that every section is
            // read.
            let section = Section::ALL.into_iter().find(|section| section.number() == kind);
            let section =
                section.ok_or_else(|| ProfileError::damaged(format!("a section of kind {kind}")))?;
            if sections.last().is_some_and(|(last, _)| *last >= section) {
                return Err(ProfileError::damaged("its sections are out of order"));
            }
            check_lengths(section, &blocks)?;
            sections.push((section, blocks));
        }
        match offset {
            offset if offset > end => Err(cut_short()),
            offset if offset < end => {
                Err(ProfileError::damaged(format!("{} bytes stand behind its end", Grouped(end - offset))))
            }
            _ => Ok(BlockTable { sections }),
        }
    }

    /// Returns the blocks of a section; `None` if the profile does not have the section.
    pub(super) fn blocks(&self, section: Section) -> Option<&[BlockEntry]> {
        self.sections.iter().find(|(found, _)| *found == section).map(|(_, blocks)| blocks.as_slice())
    }
}

fn check_lengths(section: Section, blocks: &[BlockEntry]) -> Result<(), ProfileError> {
    let total: u64 = blocks.iter().map(|block| u64::from(block.length)).sum();
    let longest = blocks.iter().map(|block| block.length.max(block.stored) as usize).max().unwrap_or(0);
    // Data that deflate cannot compress is stored, with five more bytes for each 64 KiB: it never doubles in length.
    if longest > 2 * MAX_BLOCK || blocks.iter().any(|block| block.length as usize > MAX_BLOCK) {
        return Err(ProfileError::damaged(format!(
            "a block of {} bytes in its {}",
            Grouped(longest),
            section.name()
        )));
    }
    if total > section.limit() {
        return Err(ProfileError::damaged(format!("{} bytes of {}", Grouped(total), section.name())));
    }
    Ok(())
}

/// Reads a block, checks it and unpacks it.
pub(super) fn unpack(
    bytes: &impl Bytes,
    section: Section,
    block: &BlockEntry,
) -> Result<Vec<u8>, ProfileError> {
    let stored = stored(bytes, section, block)?;
    let length = block.length as usize;
    let broken = |_| ProfileError::damaged(format!("a block of its {} cannot be unpacked", section.name()));
    // The limit is the length in the table, which is itself below MAX_BLOCK: a decompression bomb stops there.
    let unpacked = miniz_oxide::inflate::decompress_to_vec_with_limit(&stored, length).map_err(broken)?;
    if unpacked.len() == length {
        Ok(unpacked)
    } else {
        Err(ProfileError::damaged(format!("a block of its {} has another length", section.name())))
    }
}

/// Reads a block's stored bytes and checks them.
pub(super) fn stored(
    bytes: &impl Bytes,
    section: Section,
    block: &BlockEntry,
) -> Result<Vec<u8>, ProfileError> {
    let mut stored = vec![0; block.stored as usize];
    read(bytes, block.offset, &mut stored)?;
    if crc32fast::hash(&stored) == block.sum {
        Ok(stored)
    } else {
        Err(ProfileError::damaged(format!("the checksum of a block of its {} does not fit", section.name())))
    }
}

/// Writes a file. A section is a list of unpacked blocks.
pub(super) fn pack(sections: &[(Section, Vec<&[u8]>)]) -> Result<Vec<u8>, ProfileError> {
    let (mut table, mut packed) = (Vec::new(), Vec::new());
    for (section, blocks) in sections {
        table.extend(section.number().to_le_bytes());
        table.extend(length_of(blocks.len())?);
        for &block in blocks {
            // The slowest level: a profile is written once and read often.
            let stored = miniz_oxide::deflate::compress_to_vec(block, 10);
            table.extend(length_of(stored.len())?);
            table.extend(length_of(block.len())?);
            table.extend(crc32fast::hash(&stored).to_le_bytes());
            packed.extend(stored);
        }
    }
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend(length_of(table.len())?);
    file.extend(crc32fast::hash(&table).to_le_bytes());
    file.extend(table);
    file.extend(packed);
    Ok(file)
}

fn length_of(length: usize) -> Result<[u8; 4], ProfileError> {
    let too_long = |_| ProfileError::Unsaveable { what: format!("a part of {} bytes", Grouped(length)) };
    u32::try_from(length).map(u32::to_le_bytes).map_err(too_long)
}

fn number(bytes: &[u8], at: usize) -> Result<u32, ProfileError> {
    ByteOrder::Little.u32(bytes, at).ok_or_else(|| ProfileError::damaged("its table is cut short"))
}

fn read(bytes: &impl Bytes, offset: u64, buffer: &mut [u8]) -> Result<(), ProfileError> {
    bytes.read_at(offset, buffer).map_err(|failed| ProfileError::Read(failed.0))
}

fn cut_short() -> ProfileError {
    ProfileError::damaged("it is cut short")
}
