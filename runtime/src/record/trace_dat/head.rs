//! What both versions of the file are made of: layouts of pages and events, and where the pages of CPUs are.

use std::borrow::Cow;
use std::io::{Read, Seek};

use tracec_kernel::format::{EventFormat, FormatError, FormatReader};
use tracec_kernel::page::PageLayout;

use super::input::Input;
use super::{CpuData, TraceDatError};

/// The largest accepted number of CPUs: NR_CPUS is at most 8,192 (arch/x86/Kconfig), so a larger number is damaged.
pub(super) const MOST_CPUS: u32 = 8192;

/// The largest accepted number of instances. Each has rings of its own, so that a machine has some dozens.
pub(super) const MOST_INSTANCES: usize = 1024;

/// The largest accepted number of CPUs that have pages, of all buffers.
pub(super) const MOST_LANES: usize = 16 * MOST_CPUS as usize;

/// Reads the descriptions of a ring-buffer page and of an entry.
pub(super) fn header_page<R: Read + Seek>(input: &mut Input<R>) -> Result<PageLayout, TraceDatError> {
    input.expect(b"header_page\0", "header_page")?;
    let length = input.u64("the size of header_page")?;
    let page = input.bytes(length, "header_page")?;
    input.expect(b"header_event\0", "header_event")?;
    let length = input.u64("the size of header_event")?;
    input.skip(length, "header_event")?;
    let layout = PageLayout::parse(&String::from_utf8_lossy(&page)).map_err(TraceDatError::Layout)?;
    Ok(PageLayout { little_endian: !input.is_big_endian(), ..layout })
}

/// The layouts of events, and the names of events whose layout is malformed.
#[derive(Debug, Default)]
pub(super) struct Formats {
    pub(super) read: Vec<EventFormat>,
    pub(super) unreadable: Vec<(String, FormatError)>,
    reader: FormatReader,
    /// The text of a format.
    text: Vec<u8>,
}

impl Formats {
    /// Reads the layouts of the records that tracers write.
    pub(super) fn of_tracers<R: Read + Seek>(&mut self, input: &mut Input<R>) -> Result<(), TraceDatError> {
        for _ in 0..input.u32("the number of ftrace formats")? {
            self.format(input, "ftrace")?;
        }
        Ok(())
    }

    /// Reads the layouts of events.
    pub(super) fn of_events<R: Read + Seek>(&mut self, input: &mut Input<R>) -> Result<(), TraceDatError> {
        for _ in 0..input.u32("the number of systems")? {
            let system = input.name("the name of a system")?;
            for _ in 0..input.u32("the number of events of a system")? {
                self.format(input, &system)?;
            }
        }
        Ok(())
    }

    fn format<R: Read + Seek>(&mut self, input: &mut Input<R>, system: &str) -> Result<(), TraceDatError> {
        let length = input.u64("the size of a format")?;
        input.refill(&mut self.text, length, "a format")?;
        let text = std::str::from_utf8(&self.text)
            .map_or_else(|_| String::from_utf8_lossy(&self.text), Cow::Borrowed);
        match self.reader.read(system, &text) {
            Ok(format) => self.read.push(format),
            Err(error) => {
                let name = text.lines().next().unwrap_or_default().trim_start_matches("name: ");
                self.unreadable.push((format!("{system}:{name}"), error));
            }
        }
        Ok(())
    }
}

/// Returns an error if pages belong to two CPUs: a small file could claim any number of records so.
pub(super) fn check_overlaps<'b>(cpus: impl Iterator<Item = &'b CpuData>) -> Result<(), TraceDatError> {
    let mut all: Vec<&CpuData> = cpus.collect();
    all.sort_unstable_by_key(|data| data.offset);
    for (data, next) in all.iter().zip(all.iter().skip(1)) {
        if data.offset.saturating_add(data.size) > next.offset {
            return Err(TraceDatError::Overlap { cpus: (data.cpu, next.cpu), offset: next.offset });
        }
    }
    Ok(())
}
