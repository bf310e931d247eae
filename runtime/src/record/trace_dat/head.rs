//! The parts of a version 6 file before its pages, in their order.

use std::io::{Read, Seek};

use tracec_kernel::format::{EventFormat, FormatError};
use tracec_kernel::page::PageLayout;

use super::input::Input;
use super::{Buffer, CpuData, TraceDat, TraceDatError};

/// Option ids of trace-cmd (lib/trace-cmd/include/trace-cmd-local.h).
const OPTION_DONE: u16 = 0;
const OPTION_BUFFER: u16 = 3;

/// The longest accepted text of `trace_clock`: it lists about ten clocks, so a longer one is damaged.
const LONGEST_CLOCKS: u64 = 1024;

/// The largest accepted number of CPUs: NR_CPUS is at most 8,192 (arch/x86/Kconfig), so a larger number is damaged.
const MOST_CPUS: u32 = 8192;

/// The largest accepted number of instances. Each has rings of its own, so that a machine has some dozens.
const MOST_INSTANCES: usize = 1024;

/// The largest accepted number of CPUs that have pages, of all buffers.
const MOST_LANES: usize = 16 * MOST_CPUS as usize;

/// Reads the head of a file.
pub(super) fn read<R: Read + Seek>(mut source: Input<R>) -> Result<TraceDat<R>, TraceDatError> {
    let input = &mut source;
    let little_endian = start(input)?;
    let mut layout = header_page(input)?;
    layout.little_endian = little_endian;
    let (formats, unreadable) = formats(input)?;

    let length = input.u32("the size of kallsyms")?;
    let kallsyms = input.bytes(length.into(), "kallsyms")?;
    let length = input.u32("the size of printk_formats")?;
    let printk_formats = input.bytes(length.into(), "printk_formats")?;
    let length = input.u64("the size of saved_cmdlines")?;
    let cmdlines = input.bytes(length, "saved_cmdlines")?;

    let offset = input.position();
    let cpus = input.u32("the number of cpus")?;
    if cpus > MOST_CPUS {
        return Err(TraceDatError::Unexpected { what: "a number of cpus", offset });
    }
    let instances = instances(input)?;
    let mut buffers = vec![buffer(input, String::new(), cpus)?];
    for (offset, name) in instances {
        input.seek(offset)?;
        buffers.push(buffer(input, name, cpus)?);
        if buffers.iter().map(|buffer| buffer.cpus.len()).sum::<usize>() > MOST_LANES {
            return Err(TraceDatError::Unexpected { what: "a number of cpus", offset });
        }
    }
    check_overlaps(&buffers)?;
    Ok(TraceDat { layout, formats, unreadable, kallsyms, printk_formats, cmdlines, buffers, input: source })
}

/// Reads the file's first bytes up to its page size, which is ignored because `header_page` is more exact. Returns
/// whether the file is little-endian.
fn start<R: Read + Seek>(input: &mut Input<R>) -> Result<bool, TraceDatError> {
    match input.expect(b"\x17\x08\x44tracing", "the magic number") {
        Err(TraceDatError::Truncated { .. } | TraceDatError::Unexpected { .. }) => {
            return Err(TraceDatError::NotTraceDat);
        }
        other => other?,
    }
    let version = input.name("the version")?;
    if version != "6" {
        return Err(TraceDatError::Version { version });
    }
    let big_endian = input.u8("the byte order")? != 0;
    input.set_big_endian(big_endian);
    input.u8("the size of a long")?;
    input.u32("the page size")?;
    Ok(!big_endian)
}

fn header_page<R: Read + Seek>(input: &mut Input<R>) -> Result<PageLayout, TraceDatError> {
    input.expect(b"header_page\0", "header_page")?;
    let length = input.u64("the size of header_page")?;
    let page = input.bytes(length, "header_page")?;
    input.expect(b"header_event\0", "header_event")?;
    let length = input.u64("the size of header_event")?;
    input.skip(length, "header_event")?;
    PageLayout::parse(&String::from_utf8_lossy(&page)).map_err(TraceDatError::Layout)
}

/// The layouts of events, and the names of events whose layout is malformed.
type Formats = (Vec<EventFormat>, Vec<(String, FormatError)>);

fn formats<R: Read + Seek>(input: &mut Input<R>) -> Result<Formats, TraceDatError> {
    let mut formats = Formats::default();
    for _ in 0..input.u32("the number of ftrace formats")? {
        format(input, "ftrace", &mut formats)?;
    }
    for _ in 0..input.u32("the number of systems")? {
        let system = input.name("the name of a system")?;
        for _ in 0..input.u32("the number of events of a system")? {
            format(input, &system, &mut formats)?;
        }
    }
    Ok(formats)
}

fn format<R: Read + Seek>(
    input: &mut Input<R>,
    system: &str,
    (formats, unreadable): &mut Formats,
) -> Result<(), TraceDatError> {
    let length = input.u64("the size of a format")?;
    let text = input.bytes(length, "a format")?;
    let text = String::from_utf8_lossy(&text);
    match EventFormat::parse(system, &text) {
        Ok(format) => formats.push(format),
        Err(error) => {
            let name = text.lines().next().unwrap_or_default().trim_start_matches("name: ");
            unreadable.push((format!("{system}:{name}"), error));
        }
    }
    Ok(())
}

/// Reads the options and returns the buffers of instances: offset and name of each.
fn instances<R: Read + Seek>(input: &mut Input<R>) -> Result<Vec<(u64, String)>, TraceDatError> {
    let mut instances = Vec::new();
    data_kind(input, b"options  \0")?;
    loop {
        let id = input.u16("the id of an option")?;
        if id == OPTION_DONE {
            return Ok(instances);
        }
        let length = u64::from(input.u32("the size of an option")?);
        let begin = input.position();
        if id == OPTION_BUFFER {
            let offset = input.u64("the option of a buffer")?;
            if instances.len() == MOST_INSTANCES {
                return Err(TraceDatError::Unexpected { what: "a number of instances", offset: begin });
            }
            instances.push((offset, input.name("the name of a buffer")?));
            input.seek(begin)?;
        }
        input.skip(length, "an option")?;
    }
}

fn buffer<R: Read + Seek>(input: &mut Input<R>, name: String, cpus: u32) -> Result<Buffer, TraceDatError> {
    data_kind(input, b"flyrecord\0")?;
    let mut data = Vec::new();
    for cpu in 0..cpus {
        let offset = input.u64("the offset of a cpu's pages")?;
        let size = input.u64("the size of a cpu's pages")?;
        if size > 0 {
            data.push(CpuData { cpu, offset, size });
        }
    }
    let clock = clock(input, data.iter().map(|data| data.offset).min())?;
    Ok(Buffer { name, clock, cpus: data })
}

/// Returns an error if pages belong to two CPUs: a small file could claim any number of records so.
fn check_overlaps(buffers: &[Buffer]) -> Result<(), TraceDatError> {
    let mut all: Vec<CpuData> = buffers.iter().flat_map(|buffer| &buffer.cpus).copied().collect();
    all.sort_unstable_by_key(|data| data.offset);
    for (data, next) in all.iter().zip(all.iter().skip(1)) {
        if data.offset.saturating_add(data.size) > next.offset {
            return Err(TraceDatError::Overlap { cpus: (data.cpu, next.cpu), offset: next.offset });
        }
    }
    Ok(())
}

/// Reads the ten bytes that name the next part, and returns an error if they are not `expected`.
fn data_kind<R: Read + Seek>(input: &mut Input<R>, expected: &[u8; 10]) -> Result<(), TraceDatError> {
    let offset = input.position();
    match input.bytes(10, "the kind of data")? {
        kind if kind == expected => Ok(()),
        kind if kind == b"latency  \0" => Err(TraceDatError::Latency),
        _ => Err(TraceDatError::Unexpected { what: "the kind of data", offset }),
    }
}

/// Reads the text of `trace_clock` between the table of CPUs and the first page. The specification does not mention it,
/// and not every file has it.
fn clock<R: Read + Seek>(
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

/// Returns the chosen clock: `trace_clock` lists all clocks, the chosen one in brackets.
fn chosen_clock(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_owned())
}
