//! The sections of a version 7 file.

use std::io::{Read, Seek};

use rustc_hash::FxHashSet;

use super::{FileOption, Outline, Part, data_of};
use crate::record::trace_dat::input::{Input, Place};
use crate::record::trace_dat::section::{HEAD, Section, section as head_of_section};
use crate::record::trace_dat::{Buffer, CpuData, TraceDatError, compression, found, head, option};

/// The largest accepted number of sections apart from those of buffers. There are some dozens.
const MOST_PARTS: usize = 8192;

/// Walks over a file from the byte behind its page size on. Of one that is broken, some options cannot be read.
pub(super) fn walk<R: Read + Seek>(
    input: &mut Input<R>,
    outline: &mut Outline,
    is_broken: bool,
) -> Result<(), TraceDatError> {
    input.name("the compression")?;
    outline.compression_version = input.name("the version of the compression")?;
    let mut next = input.u64("the offset of the options")?;
    let front = input.position();
    // The reader has found options that lead in a circle.
    while next != 0 && !(is_broken && outline.parts.iter().any(|part| part.offset == next)) {
        match options(input, outline, next) {
            Ok(behind) => next = behind,
            // It has said so.
            Err(_) if is_broken => break,
            Err(error) => return Err(error),
        }
    }
    if is_broken {
        find(input, outline, front)?;
    }
    let mut known: FxHashSet<u64> = outline.parts.iter().map(|part| part.offset).collect();
    for named in &outline.options {
        if named.id == option::BUFFER {
            outline.buffers.push(buffer(input, named)?);
        } else if let Some(part) = named_part(input, named)?
            && known.insert(part.offset)
        {
            if outline.parts.len() == MOST_PARTS {
                return Err(TraceDatError::Unexpected { what: "a number of sections", offset: named.offset });
            }
            outline.parts.push(part);
        }
    }
    Ok(())
}

/// Adds the sections from an offset on that are named by options that cannot be read.
fn find<R: Read + Seek>(
    input: &mut Input<R>,
    outline: &mut Outline,
    front: u64,
) -> Result<(), TraceDatError> {
    for (id, at) in found::sections(input, front) {
        let is_known = outline.parts.iter().any(|part| part.offset == at);
        match id {
            _ if is_known => {}
            option::DONE => drop(options(input, outline, at)),
            option::BUFFER => {}
            _ => outline.parts.extend(section(input, at)?),
        }
    }
    // The reader takes the first one of each id.
    outline.parts.sort_by_key(|part| part.offset);
    Ok(())
}

/// Reads the options of the section at an offset, and returns the offset of the next.
fn options<R: Read + Seek>(
    input: &mut Input<R>,
    outline: &mut Outline,
    offset: u64,
) -> Result<u64, TraceDatError> {
    let what = "options";
    let part = section(input, offset)?.ok_or(TraceDatError::Unexpected { what, offset })?;
    let (bytes, place) = match part.is_compressed {
        true => {
            input.seek(offset + HEAD)?;
            (compression::section(input, outline.compression, what)?, Place::Within(offset))
        }
        false => {
            input.seek(offset + HEAD)?;
            (input.bytes(part.size - HEAD, what)?, Place::From(offset + HEAD))
        }
    };
    outline.parts.push(part);
    let mut data = input.part(bytes, place);
    loop {
        let id = data.u16("the id of an option")?;
        let length = data.u32("the size of an option")?;
        if id == option::DONE {
            return data.u64("the offset of the next options");
        }
        let at = match place {
            Place::From(begin) => begin + data.position(),
            Place::Within(begin) => begin,
        };
        let data = data.bytes(length.into(), "an option")?;
        outline.add(FileOption { id, offset: at, data })?;
    }
}

/// Reads the head of the section at an offset; `None` if the file has none there.
fn section<R: Read + Seek>(input: &mut Input<R>, offset: u64) -> Result<Option<Part>, TraceDatError> {
    let end = input.length();
    if offset.saturating_add(HEAD) > end {
        return Ok(None);
    }
    let Section { id, is_compressed, size } = head_of_section(input, offset)?;
    if size > end - offset - HEAD || (is_compressed && size < 8) {
        return Ok(None);
    }
    let length = match is_compressed {
        true => {
            input.u32("the size of a section")?;
            input.u32("the size of a section")?.into()
        }
        false => size,
    };
    Ok(Some(Part { id, offset, size: size + HEAD, is_compressed, length }))
}

/// Returns the section that an option names: its data begins with the offset of a section of the same id. That holds for
/// options that are known to name one (HEADER_INFO to CMDLINES, BUFFER_TEXT, BTF_FILE, MODULES_FILE); the data of another
/// leads to a section of its id only if that is its meaning too.
fn named_part<R: Read + Seek>(
    input: &mut Input<R>,
    named: &FileOption,
) -> Result<Option<Part>, TraceDatError> {
    if named.id < option::STRINGS || named.data.len() < 8 {
        return Ok(None);
    }
    let offset = data_of(input, named).u64("the offset of a section")?;
    Ok(section(input, offset)?.filter(|part| part.id == named.id))
}

fn buffer<R: Read + Seek>(input: &Input<R>, named: &FileOption) -> Result<Buffer, TraceDatError> {
    let mut data = data_of(input, named);
    data.u64("the option of a buffer")?;
    let name = data.name("the name of a buffer")?;
    let clock = data.name("the clock of a buffer")?;
    let page_size = data.u32("the page size of a buffer")?;
    let count = data.u32("the number of cpus")?;
    if count > head::MOST_CPUS {
        return Err(TraceDatError::Unexpected { what: "a number of cpus", offset: named.offset });
    }
    let mut cpus = Vec::new();
    for _ in 0..count {
        let cpu = data.u32("the number of a cpu")?;
        let offset = data.u64("the offset of a cpu's pages")?;
        let size = data.u64("the size of a cpu's pages")?;
        cpus.push(CpuData { cpu, offset, size, chunks: Vec::new() });
    }
    Ok(Buffer { name, clock: (!clock.is_empty()).then_some(clock), page_size, cpus })
}
