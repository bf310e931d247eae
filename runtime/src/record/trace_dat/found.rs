//! What a version 7 file has whose options are damaged or missing: its sections follow each other from the front, and the
//! pages of a buffer are found by what they are.

use std::io::{Read, Seek};

use tracec_kernel::page::{PageHead, PageLayout};

use super::compression::chunks;
use super::head::MOST_CPUS;
use super::input::Input;
use super::section::{Section, section};
use super::{CpuData, option};

/// The largest accepted number of sections. A file has some dozens.
const MOST_SECTIONS: usize = 8192;

/// The least size of a section of options: that of the last option.
const LEAST_OPTIONS: u64 = 14;

/// Returns the ids and offsets of the sections from an offset on, as far as each leads to the next one.
pub(super) fn sections<R: Read + Seek>(input: &mut Input<R>, mut at: u64) -> Vec<(u16, u64)> {
    let mut found = Vec::new();
    while found.len() < MOST_SECTIONS
        && let Ok(Section { id, size, .. }) = section(input, at)
        && option::name(id).is_some()
    {
        let rest = input.length().saturating_sub(input.position());
        // Its pages may be there as far as the file is.
        let is_buffer = id == option::BUFFER;
        if (id == option::DONE && size < LEAST_OPTIONS) || (size > rest && !is_buffer) {
            break;
        }
        found.push((id, at));
        // The size of a section of pages is written when they are complete.
        if size > rest || (is_buffer && size == 0) {
            break;
        }
        at = input.position() + size;
    }
    found
}

/// Returns the pages of CPUs in the section at an offset. They are numbered in their order: which CPU has pages, only an
/// option says.
pub(super) fn pages<R: Read + Seek>(input: &mut Input<R>, at: u64, layout: &PageLayout) -> Vec<CpuData> {
    let Ok(Section { is_compressed, size, .. }) = section(input, at) else { return Vec::new() };
    let begin = input.position();
    let end = match size {
        0 => input.length(),
        size => begin.saturating_add(size).min(input.length()),
    };
    let first = begin.next_multiple_of(layout.size.max(1).into());
    match is_compressed {
        true => in_chunks(input, (first, end), layout.size),
        false => as_they_are(input, (first, end), layout),
    }
}

/// Returns the CPUs whose pages are in chunks: each begins with the number of its chunks, at a multiple of a page.
fn in_chunks<R: Read + Seek>(input: &mut Input<R>, (mut at, end): (u64, u64), page: u32) -> Vec<CpuData> {
    let mut cpus = Vec::new();
    while at < end && cpus.len() < MOST_CPUS as usize && input.seek(at).is_ok() {
        let (found, damage) = chunks(input, end - at);
        let is_of_pages = found.iter().all(|chunk| chunk.length.is_multiple_of(page.max(1)));
        let Some(last) = found.last().filter(|_| is_of_pages) else { break };
        let behind = last.behind();
        let size = behind - at;
        cpus.push(CpuData { cpu: cpus.len() as u32, offset: at, size, chunks: Vec::new() });
        if damage.is_some() {
            break;
        }
        at = behind.next_multiple_of(page.max(1).into());
    }
    cpus
}

/// Returns the CPUs whose pages are not compressed: the time of a page is not before that of the one before it, unless it is
/// of another CPU.
fn as_they_are<R: Read + Seek>(
    input: &mut Input<R>,
    (first, end): (u64, u64),
    layout: &PageLayout,
) -> Vec<CpuData> {
    let mut cpus: Vec<CpuData> = Vec::new();
    let (mut head, mut before) = (vec![0; layout.data_offset as usize], 0);
    for at in (first..end).step_by(layout.size.max(1) as usize) {
        let read = input.seek(at).and_then(|()| input.fill(&mut head, "a page"));
        let time = PageHead::new(layout, &head, layout.size as usize).map_or(before, |head| head.timestamp());
        let size = u64::from(layout.size).min(end - at);
        let count = cpus.len();
        match cpus.last_mut().filter(|_| time >= before) {
            _ if read.is_err() => break,
            Some(cpu) => cpu.size += size,
            None if count == MOST_CPUS as usize => break,
            None => cpus.push(CpuData { cpu: count as u32, offset: at, size, chunks: Vec::new() }),
        }
        before = time;
    }
    cpus
}
