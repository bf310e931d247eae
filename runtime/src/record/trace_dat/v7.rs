//! A version 7 file: sections that options name, in any order (trace-cmd.dat.v7(5)).

use std::io::{self, Cursor, Read, Seek};

use super::compression::{self, Compression};
use super::head::{Formats, MOST_CPUS, MOST_INSTANCES, MOST_LANES, check_overlaps, header_page};
use super::input::{Input, Place};
use super::places::{Begins, Places};
use super::section::{Section, section};
use super::stated::Stated;
use super::{Buffer, BufferText, CpuData, TraceDat, TraceDatError, found, option};
use crate::record::late::Late;

/// The largest accepted number of sections with options. trace-cmd writes some for each buffer.
const MOST_OPTION_SECTIONS: usize = 4096;

/// What is missing without the options that cannot be read.
const WITHOUT_OPTIONS: &str = "other options may be missing, such as the clock and what times are corrected by, and pages of \
                               CPUs, which are numbered in the order of their pages";

/// What is missing without chunks that cannot be found.
const WITHOUT_CHUNKS: &str = "the pages of the cpu behind it are missing";

/// Returns what is missing without a section; `None` for one that no record can be read without.
fn without(id: u16) -> Option<&'static str> {
    match id {
        option::HEADER_INFO => None,
        option::FTRACE_EVENTS | option::EVENT_FORMATS => {
            Some("records of events whose layouts are missing are unknown")
        }
        option::KALLSYMS | option::BTF_FILE => Some("names of addresses and of enumerators are missing"),
        option::PRINTK => Some("texts that records name by their addresses are shown as these"),
        _ => Some("names of tasks are shown as `<...>`"),
    }
}

/// What the options say.
#[derive(Default)]
struct Options {
    /// Where the sections are that are there once, by their ids.
    sections: Vec<(u16, u64)>,
    buffers: Vec<BufferOption>,
    /// Where the texts of latency tracers are, and the names of their instances.
    texts: Vec<(u64, String)>,
    stated: Stated,
    /// The sections of options that were read.
    visited: Vec<u64>,
    /// The sections of pages that no option names.
    unnamed: Vec<u64>,
}

/// The option of a buffer.
struct BufferOption {
    section: u64,
    name: String,
    clock: String,
    page_size: u32,
    /// Where the pages of each CPU are that has some; their chunks are not known yet.
    cpus: Vec<CpuData>,
    /// Where those of each CPU begin that is listed.
    begins: Begins,
}

/// Reads the head of a file from the byte behind its page size on.
pub(super) fn read<R: Read + Seek>(mut source: Input<R>) -> Result<TraceDat<R>, TraceDatError> {
    let input = &mut source;
    let offset = input.position();
    let name = input.name("the compression")?;
    let compression = Compression::find(&name).ok_or(TraceDatError::Compression { name, offset })?;
    input.name("the version of the compression")?;
    let first = input.u64("the offset of the options")?;
    let front = input.position();
    let (mut options, broken) = Options::read_sound(input, first, compression);
    let is_broken = broken.is_some();
    let mut damage = Vec::new();
    if let Some(error) = broken {
        options.find(input, front, compression);
        damage.push(error.without(WITHOUT_OPTIONS));
    }
    let places = if is_broken { None } else { options.places(first, compression) };

    let (mut layout, mut formats) = (None, Formats::default());
    let (mut printk_formats, mut cmdlines) = (Vec::new(), Vec::new());
    let (mut kallsyms, mut types) = (Late::default(), Late::default());
    for &at in &options.sections {
        let (id, _) = at;
        let mut read = || match id {
            option::KALLSYMS => late(input, at, compression).map(|read| kallsyms = read),
            option::BTF_FILE => late(input, at, compression).map(|read| types = read),
            option::HEADER_INFO => {
                layout = Some(header_page(&mut open(input, at, compression)?)?);
                Ok(())
            }
            option::FTRACE_EVENTS => formats.of_tracers(&mut open(input, at, compression)?),
            option::EVENT_FORMATS => formats.of_events(&mut open(input, at, compression)?),
            option::PRINTK => {
                let mut section = open(input, at, compression)?;
                let length = section.u32("the size of printk_formats")?;
                section.into_bytes(length.into(), "printk_formats").map(|read| printk_formats = read)
            }
            _ => {
                let mut section = open(input, at, compression)?;
                let length = section.u64("the size of saved_cmdlines")?;
                section.into_bytes(length, "saved_cmdlines").map(|read| cmdlines = read)
            }
        };
        if let Err(error) = read() {
            match without(id) {
                Some(missing) => damage.push(error.without(missing)),
                None => return Err(error),
            }
        }
    }
    let Some(mut layout) = layout else {
        let unexpected = TraceDatError::Unexpected { what: "header_page", offset: first };
        return Err(damage.into_iter().next().map_or(unexpected, TraceDatError::into_source));
    };
    for at in std::mem::take(&mut options.unnamed) {
        let cpus = found::pages(input, at, &layout);
        let (page_size, begins) = (layout.size, Begins::new());
        let (name, clock) = Default::default();
        options.buffers.push(BufferOption { section: at, name, clock, page_size, cpus, begins });
    }
    let mut texts = Vec::new();
    for (offset, name) in options.texts {
        texts.push(BufferText { name, text: text(input, offset, compression)? });
    }
    // Before anything is read of the pages: a small file could name the same ones for many CPUs.
    let cpus: Vec<CpuData> = options.buffers.iter().flat_map(|buffer| buffer.cpus.iter().cloned()).collect();
    if cpus.len() > MOST_LANES {
        return Err(TraceDatError::Unexpected { what: "a number of cpus", offset: first });
    }
    check_overlaps(cpus.iter())?;
    // Not every writer states how many there are.
    let pages_of = cpus.iter().map(|data| data.cpu.saturating_add(1)).max().unwrap_or(0);
    let stated = options.stated;
    let mut buffers = Vec::new();
    for option in options.buffers {
        buffers.push(option.open(input, compression, &mut damage)?);
    }
    // The top level comes first, wherever the file has it.
    buffers.sort_by_key(|buffer| !buffer.name.is_empty());
    if let Some(first) = buffers.first() {
        layout.size = first.page_size;
    }
    if let Some(places) = places {
        input.set_places(places);
    }
    let Formats { read: formats, unreadable, .. } = formats;
    Ok(TraceDat {
        layout,
        formats,
        unreadable,
        kallsyms,
        printk_formats,
        cmdlines,
        types,
        buffers,
        texts,
        cpus: stated.cpus.unwrap_or(pages_of),
        stated,
        period: 0..=u64::MAX,
        compression,
        damage,
        is_broken,
        input: source,
    })
}

/// Reads where the pages of each CPU of the first buffer begin, of a file whose first options are at an offset.
pub(super) fn begins<R: Read + Seek>(input: &mut Input<R>, first: u64) -> Result<Begins, TraceDatError> {
    let mut options = Options::default();
    options.read(input, first, Compression::None, true)?;
    Ok(options.buffers.into_iter().next().map(|buffer| buffer.begins).unwrap_or_default())
}

/// Opens the section of an id at an offset. What is in it is read as a file of its own, whose errors name the offset of the
/// section.
fn open<R: Read + Seek>(
    input: &mut Input<R>,
    (id, offset): (u16, u64),
    compression: Compression,
) -> Result<Input<Cursor<Vec<u8>>>, TraceDatError> {
    let what = "a section";
    let section = section(input, offset)?;
    if section.id != id {
        return Err(TraceDatError::Unexpected { what, offset });
    }
    let begin = input.position();
    let (bytes, place) = match section.is_compressed {
        true => (compression::section(input, compression, what)?, Place::Within(offset)),
        false => (input.bytes(section.size, what)?, Place::From(begin)),
    };
    Ok(input.part(bytes, place))
}

/// Opens a section that few readers need: the symbols of a kernel behind their size, or its types.
fn late<R: Read + Seek>(
    input: &mut Input<R>,
    (id, offset): (u16, u64),
    compression: Compression,
) -> Result<Late, TraceDatError> {
    let found = section(input, offset)?;
    if found.id != id || (found.is_compressed && !input.leaves_bytes()) {
        let mut section = open(input, (id, offset), compression)?;
        let size = section.length();
        let (length, what) = late_length(&mut section, id, size)?;
        return Ok(section.into_bytes(length, what)?.into());
    }
    if found.is_compressed {
        let (begin, big_endian) = (input.position(), input.is_big_endian());
        let stored = compression::stored_size(input, "a section")?;
        input.seek(begin)?;
        return input.late(stored, "a section", move |bytes| {
            let mut stored = Input::new(Cursor::new(bytes)).map_err(into_io)?.at(Place::From(begin));
            stored.set_big_endian(big_endian);
            of_section(&mut stored, (id, offset), compression).map_err(into_io)
        });
    }
    input.expect_length(found.size, "a section")?;
    let end = input.position() + found.size;
    let (length, what) = late_length(input, id, found.size)?;
    if length > end.saturating_sub(input.position()) {
        return Err(TraceDatError::Truncated { what, offset: input.position() });
    }
    input.late(length, what, Ok)
}

/// Returns what such a section holds that is compressed, and begins at the position.
fn of_section<R: Read + Seek>(
    input: &mut Input<R>,
    (id, offset): (u16, u64),
    compression: Compression,
) -> Result<Vec<u8>, TraceDatError> {
    let bytes = compression::section(input, compression, "a section")?;
    let size = bytes.len() as u64;
    let mut section = input.part(bytes, Place::Within(offset));
    let (length, what) = late_length(&mut section, id, size)?;
    section.into_bytes(length, what)
}

fn into_io(error: TraceDatError) -> io::Error {
    match error {
        TraceDatError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

/// Returns the length of what such a section of `size` bytes holds, and its name in errors.
fn late_length<R: Read + Seek>(
    input: &mut Input<R>,
    id: u16,
    size: u64,
) -> Result<(u64, &'static str), TraceDatError> {
    match id {
        option::BTF_FILE => Ok((size, "the types of the kernel")),
        _ => Ok((input.u32("the size of kallsyms")?.into(), "kallsyms")),
    }
}

/// Reads the text of a latency tracer, whose section is at an offset.
fn text<R: Read + Seek>(
    input: &mut Input<R>,
    offset: u64,
    compression: Compression,
) -> Result<Vec<u8>, TraceDatError> {
    let what = "the text of a latency trace";
    let section = section(input, offset)?;
    match section {
        Section { id, .. } if id != option::BUFFER_TEXT => Err(TraceDatError::Unexpected { what, offset }),
        Section { is_compressed: true, size, .. } if compression != Compression::None => {
            compression::in_chunks(input, compression, size, what)
        }
        Section { size, .. } => input.bytes(size, what),
    }
}

impl Options {
    /// Returns what finds the pages of a file that a session may still write: the names of threads come last.
    fn places(&self, first: u64, compression: Compression) -> Option<Places> {
        let has_names = self.sections.iter().any(|(id, _)| *id == option::CMDLINES);
        match self.buffers.as_slice() {
            [buffer] if compression == Compression::None && !has_names => {
                Some(Places::new(first, buffer.begins.clone()))
            }
            _ => None,
        }
    }

    /// Reads all sections of options, or those as far as the first buffer.
    fn read<R: Read + Seek>(
        &mut self,
        input: &mut Input<R>,
        mut offset: u64,
        compression: Compression,
        to_buffer: bool,
    ) -> Result<(), TraceDatError> {
        while offset != 0 && (self.buffers.is_empty() || !to_buffer) {
            if self.visited.len() == MOST_OPTION_SECTIONS || self.visited.contains(&offset) {
                return Err(TraceDatError::Unexpected { what: "other options", offset });
            }
            if offset >= input.length() {
                return Err(TraceDatError::Cut { length: input.length(), offset });
            }
            self.visited.push(offset);
            let mut section = open(input, (option::DONE, offset), compression)?;
            offset = self.section(&mut section)?;
        }
        Ok(())
    }

    /// Reads the sections of options as far as that is possible. Also returns why it is not possible to read all.
    fn read_sound<R: Read + Seek>(
        input: &mut Input<R>,
        offset: u64,
        compression: Compression,
    ) -> (Self, Option<TraceDatError>) {
        let mut options = Options::default();
        let error = options.read(input, offset, compression, false).err();
        (options, error)
    }

    /// Looks for what is named by options that could not be read, from an offset on.
    fn find<R: Read + Seek>(&mut self, input: &mut Input<R>, front: u64, compression: Compression) {
        let sections = found::sections(input, front);
        for &(id, at) in &sections {
            if id == option::DONE && !self.visited.contains(&at) {
                // The damage of the others was the first, and is said.
                let _ = open(input, (id, at), compression).and_then(|mut section| self.section(&mut section));
            }
        }
        for (id, at) in sections {
            match id {
                option::BUFFER if self.buffers.iter().all(|buffer| buffer.section != at) => {
                    self.unnamed.push(at)
                }
                option::BUFFER_TEXT if self.texts.iter().all(|(named, _)| *named != at) => {
                    self.texts.push((at, String::new()));
                }
                option::HEADER_INFO..=option::CMDLINES | option::BTF_FILE => self.add_section(id, at),
                _ => {}
            }
        }
    }

    /// Adds a section that is there once.
    fn add_section(&mut self, id: u16, offset: u64) {
        // A second one would only add what the first has.
        if self.sections.iter().all(|(known, _)| *known != id) {
            self.sections.push((id, offset));
        }
    }

    /// Reads a section of options, and returns the offset of the next.
    fn section<R: Read + Seek>(&mut self, input: &mut Input<R>) -> Result<u64, TraceDatError> {
        loop {
            let id = input.u16("the id of an option")?;
            let length = u64::from(input.u32("the size of an option")?);
            let begin = input.position();
            match id {
                option::DONE => return input.u64("the offset of the next options"),
                option::BUFFER => {
                    if self.buffers.len() == MOST_INSTANCES {
                        return Err(TraceDatError::Unexpected {
                            what: "a number of instances",
                            offset: begin,
                        });
                    }
                    self.buffers.push(BufferOption::read(input)?);
                }
                option::BUFFER_TEXT => {
                    if self.texts.len() == MOST_INSTANCES {
                        let what = "a number of instances";
                        return Err(TraceDatError::Unexpected { what, offset: begin });
                    }
                    let offset = input.u64("the option of a text")?;
                    self.texts.push((offset, input.name("the name of a buffer")?));
                }
                option::HEADER_INFO
                | option::FTRACE_EVENTS
                | option::EVENT_FORMATS
                | option::KALLSYMS
                | option::PRINTK
                | option::BTF_FILE
                | option::CMDLINES => {
                    let offset = input.u64("the offset of a section")?;
                    self.add_section(id, offset);
                }
                _ => self.stated.read(input, id, length)?,
            }
            input.seek(begin)?;
            input.skip(length, "an option")?;
        }
    }
}

impl BufferOption {
    fn read<R: Read + Seek>(input: &mut Input<R>) -> Result<Self, TraceDatError> {
        let section = input.u64("the option of a buffer")?;
        let name = input.name("the name of a buffer")?;
        let clock = input.name("the clock of a buffer")?;
        let page_size = input.u32("the page size of a buffer")?;
        let offset = input.position();
        let count = input.u32("the number of cpus")?;
        if count > MOST_CPUS {
            return Err(TraceDatError::Unexpected { what: "a number of cpus", offset });
        }
        let (mut cpus, mut begins) = (Vec::new(), Begins::new());
        for _ in 0..count {
            let cpu = input.u32("the number of a cpu")?;
            let offset = input.u64("the offset of a cpu's pages")?;
            let size = input.u64("the size of a cpu's pages")?;
            begins.push((cpu, offset));
            if size > 0 {
                cpus.push(CpuData { cpu, offset, size, chunks: Vec::new() });
            }
        }
        Ok(BufferOption { section, name, clock, page_size, cpus, begins })
    }

    /// Finds the pages of each CPU.
    fn open<R: Read + Seek>(
        self,
        input: &mut Input<R>,
        compression: Compression,
        damage: &mut Vec<TraceDatError>,
    ) -> Result<Buffer, TraceDatError> {
        let head = section(input, self.section)?;
        if head.id != option::BUFFER {
            return Err(TraceDatError::Unexpected { what: "the pages of a buffer", offset: self.section });
        }
        let mut cpus = self.cpus;
        if head.is_compressed && compression != Compression::None {
            for data in &mut cpus {
                input.seek(data.offset)?;
                let (chunks, damaged) = compression::chunks(input, data.size);
                data.chunks = chunks;
                damage.extend(damaged.map(|error| error.without(WITHOUT_CHUNKS)));
            }
            // One without chunks would be one that is not compressed.
            cpus.retain(|data| !data.chunks.is_empty());
        }
        let clock = (!self.clock.is_empty()).then_some(self.clock);
        Ok(Buffer { name: self.name, clock, page_size: self.page_size, cpus })
    }
}
