//! The parts of a version 6 file before its pages, in their order.

use std::io::{Read, Seek};

use super::compression::Compression;
use super::head::{Formats, MOST_CPUS, MOST_INSTANCES, MOST_LANES, check_overlaps, header_page};
use super::input::Input;
use super::stated::{Stated, chosen_clock};
use super::{Buffer, BufferText, CpuData, TraceDat, TraceDatError, option};
use crate::record::late::Late;

/// The longest accepted text of `trace_clock`: it lists about ten clocks, so a longer one is damaged.
const LONGEST_CLOCKS: u64 = 1024;

/// Reads the head of a file from the byte behind its page size on.
pub(super) fn read<R: Read + Seek>(mut source: Input<R>) -> Result<TraceDat<R>, TraceDatError> {
    let input = &mut source;
    let layout = header_page(input)?;
    let mut formats = Formats::default();
    formats.of_tracers(input)?;
    formats.of_events(input)?;

    let length = input.u32("the size of kallsyms")?;
    let kallsyms = input.late(length.into(), "kallsyms", Ok)?;
    let length = input.u32("the size of printk_formats")?;
    let printk_formats = input.bytes(length.into(), "printk_formats")?;
    let length = input.u64("the size of saved_cmdlines")?;
    let cmdlines = input.bytes(length, "saved_cmdlines")?;

    let offset = input.position();
    let cpus = input.u32("the number of cpus")?;
    if cpus > MOST_CPUS {
        return Err(TraceDatError::Unexpected { what: "a number of cpus", offset });
    }
    let (instances, stated) = options(input)?;
    let (mut buffers, mut texts) = (Vec::new(), Vec::new());
    if is_text(input)? {
        let what = "the text of a latency trace";
        let text = input.bytes(input.length().saturating_sub(input.position()), what)?;
        texts.push(BufferText { name: String::new(), text });
    } else {
        buffers.push(buffer(input, String::new(), (cpus, layout.size))?);
    }
    for (offset, name) in instances {
        input.seek(offset)?;
        input.expect(b"flyrecord\0", "the kind of data")?;
        buffers.push(buffer(input, name, (cpus, layout.size))?);
        if buffers.iter().map(|buffer| buffer.cpus.len()).sum::<usize>() > MOST_LANES {
            return Err(TraceDatError::Unexpected { what: "a number of cpus", offset });
        }
    }
    check_overlaps(buffers.iter().flat_map(|buffer| &buffer.cpus))?;
    let Formats { read: formats, unreadable, .. } = formats;
    let compression = Compression::None;
    Ok(TraceDat {
        layout,
        formats,
        unreadable,
        kallsyms,
        printk_formats,
        cmdlines,
        types: Late::default(),
        buffers,
        texts,
        cpus,
        stated,
        period: 0..=u64::MAX,
        compression,
        damage: Vec::new(),
        is_broken: false,
        input: source,
    })
}

/// Where the buffers of instances are, and their names.
type Instances = Vec<(u64, String)>;

/// Reads the options and returns the buffers of instances, and what the options say of the machine.
fn options<R: Read + Seek>(input: &mut Input<R>) -> Result<(Instances, Stated), TraceDatError> {
    let (mut instances, mut stated) = (Vec::new(), Stated::default());
    input.expect(b"options  \0", "the kind of data")?;
    loop {
        let id = input.u16("the id of an option")?;
        if id == option::DONE {
            return Ok((instances, stated));
        }
        let length = u64::from(input.u32("the size of an option")?);
        let begin = input.position();
        if id == option::BUFFER {
            let offset = input.u64("the option of a buffer")?;
            if instances.len() == MOST_INSTANCES {
                return Err(TraceDatError::Unexpected { what: "a number of instances", offset: begin });
            }
            instances.push((offset, input.name("the name of a buffer")?));
        } else {
            stated.read(input, id, length)?;
        }
        input.seek(begin)?;
        input.skip(length, "an option")?;
    }
}

fn buffer<R: Read + Seek>(
    input: &mut Input<R>,
    name: String,
    (cpus, page_size): (u32, u32),
) -> Result<Buffer, TraceDatError> {
    let mut data = Vec::new();
    for cpu in 0..cpus {
        let offset = input.u64("the offset of a cpu's pages")?;
        let size = input.u64("the size of a cpu's pages")?;
        if size > 0 {
            data.push(CpuData { cpu, offset, size, chunks: Vec::new() });
        }
    }
    let clock = clock(input, data.iter().map(|data| data.offset).min())?;
    Ok(Buffer { name, clock, page_size, cpus: data })
}

/// Reads the ten bytes that say what follows. Returns whether that is a text, and not records.
fn is_text<R: Read + Seek>(input: &mut Input<R>) -> Result<bool, TraceDatError> {
    let offset = input.position();
    match input.bytes(10, "the kind of data")? {
        kind if kind == b"flyrecord\0" => Ok(false),
        kind if kind == b"latency  \0" => Ok(true),
        _ => Err(TraceDatError::Unexpected { what: "the kind of data", offset }),
    }
}

/// Reads the text of `trace_clock` between the table of CPUs and the first page. The specification does not mention it,
/// and not every file has it.
pub(super) fn clock<R: Read + Seek>(
    input: &mut Input<R>,
    first_page: Option<u64>,
) -> Result<Option<String>, TraceDatError> {
    let room = first_page.unwrap_or(0).saturating_sub(input.position());
    if room < 8 {
        return Ok(None);
    }
    let length = input.u64("the size of the trace clock")?;
    if length > LONGEST_CLOCKS || length > room - 8 {
        return Ok(None);
    }
    let text = input.bytes(length, "the trace clock")?;
    Ok(chosen_clock(&String::from_utf8_lossy(&text)))
}
