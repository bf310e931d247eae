//! The parts of a version 6 file, which follow each other.

use std::io::{Read, Seek};

use super::{FileOption, Outline, Part, data_of};
use crate::record::trace_dat::head::MOST_INSTANCES;
use crate::record::trace_dat::input::Input;
use crate::record::trace_dat::v6::clock;
use crate::record::trace_dat::{Buffer, CpuData, TraceDatError, option};

/// Walks over a file from the byte behind its page size on. Its pages have `page_size` bytes.
pub(super) fn walk<R: Read + Seek>(
    input: &mut Input<R>,
    outline: &mut Outline,
    page_size: u32,
) -> Result<(), TraceDatError> {
    let what = "a part";
    let mut part = |input: &mut Input<R>, id, skip: &dyn Fn(&mut Input<R>) -> Result<(), TraceDatError>| {
        let offset = input.position();
        skip(input)?;
        let size = input.position() - offset;
        outline.parts.push(Part { id, offset, size, is_compressed: false, length: size });
        Ok::<(), TraceDatError>(())
    };
    part(input, option::HEADER_INFO, &|input| {
        for name in [b"header_page\0".as_slice(), b"header_event\0"] {
            input.expect(name, what)?;
            long_text(input)?;
        }
        Ok(())
    })?;
    part(input, option::FTRACE_EVENTS, &|input| (0..input.u32(what)?).try_for_each(|_| long_text(input)))?;
    part(input, option::EVENT_FORMATS, &|input| {
        for _ in 0..input.u32(what)? {
            input.name(what)?;
            (0..input.u32(what)?).try_for_each(|_| long_text(input))?;
        }
        Ok(())
    })?;
    for id in [option::KALLSYMS, option::PRINTK] {
        part(input, id, &|input| {
            let length = input.u32(what)?;
            input.skip(length.into(), what)
        })?;
    }
    part(input, option::CMDLINES, &long_text)?;
    let cpus = input.u32("the number of cpus")?;
    input.expect(b"options  \0", what)?;
    loop {
        let id = input.u16("the id of an option")?;
        if id == option::DONE {
            break;
        }
        let length = input.u32("the size of an option")?;
        let offset = input.position();
        let data = input.bytes(length.into(), "an option")?;
        outline.add(FileOption { id, offset, data })?;
    }
    let top = buffer(input, String::new(), (cpus, page_size))?;
    outline.buffers.push(top);
    let instances: Vec<FileOption> = outline
        .options
        .iter()
        .filter(|found| found.id == option::BUFFER)
        .take(MOST_INSTANCES)
        .cloned()
        .collect();
    for instance in instances {
        let mut data = data_of(input, &instance);
        let offset = data.u64("the option of a buffer")?;
        let name = data.name("the name of a buffer")?;
        input.seek(offset)?;
        outline.buffers.push(buffer(input, name, (cpus, page_size))?);
    }
    Ok(())
}

/// Skips a size of eight bytes and as many bytes.
fn long_text<R: Read + Seek>(input: &mut Input<R>) -> Result<(), TraceDatError> {
    let length = input.u64("a size")?;
    input.skip(length, "a part")
}

/// Reads the table of a buffer.
fn buffer<R: Read + Seek>(
    input: &mut Input<R>,
    name: String,
    (count, page_size): (u32, u32),
) -> Result<Buffer, TraceDatError> {
    input.expect(b"flyrecord\0", "the pages of a buffer")?;
    let mut cpus = Vec::new();
    for cpu in 0..count {
        let offset = input.u64("the offset of a cpu's pages")?;
        let size = input.u64("the size of a cpu's pages")?;
        cpus.push(CpuData { cpu, offset, size, chunks: Vec::new() });
    }
    let first = cpus.iter().filter(|data| data.size > 0).map(|data| data.offset).min();
    let clock = clock(input, first)?;
    Ok(Buffer { name, clock, page_size, cpus })
}
