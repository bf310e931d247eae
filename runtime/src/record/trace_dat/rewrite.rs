//! The same recording in another form, a range of its times or one of its buffers: what the file says is kept, pages as
//! they are.

use std::io::{self, Read, Seek, Write};
use std::mem;

use tracec_kernel::page::{Lost, Page, PageBuilder, PageError, PageLayout};

use super::compression::Compression;
use super::damage::Damage;
use super::head::header_page;
use super::input::Place;
use super::stated::{Correction, StatsOf, ring_of_stats};
use super::writer::{Head, Output, Writer, write_tables};
use super::{Buffer, CpuData, FileOption, Outline, Part, TraceDat, TraceDatError, Version, option};

/// The parts that both versions have, in the order of version 6.
const COMMON: [u16; 6] = [
    option::HEADER_INFO,
    option::FTRACE_EVENTS,
    option::EVENT_FORMATS,
    option::KALLSYMS,
    option::PRINTK,
    option::CMDLINES,
];

/// The parts that records can be read without: symbols, types, and the names and texts that records have by number.
const DISPENSABLE: [u16; 4] = [option::KALLSYMS, option::BTF_FILE, option::PRINTK, option::CMDLINES];

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// The version.
    pub version: Version,
    /// The compression; version 6 has none.
    pub compression: Compression,
}

/// A range of times as reports have them: those of the recording's clock, corrected by what its options say. Both ends belong
/// to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first time.
    pub from: u64,
    /// The last time.
    pub to: u64,
}

/// A part of a recording that is copied: all of it by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extract {
    /// The range of times.
    pub range: Option<Range>,
    /// The name of the buffer to copy, empty for that of the top level. It is the buffer of the top level in the copy.
    pub buffer: Option<String>,
}

/// What was written.
#[derive(Debug, Default)]
pub struct Rewritten {
    /// Pages that were copied as they are.
    pub pages: u64,
    /// Pages of which some records were left out, where a range was asked for.
    pub cut: u64,
    /// The number of records in the range; 0 without one: the records are not counted.
    pub records: u64,
    /// What the other form cannot hold, as names for messages.
    pub left_out: Vec<String>,
    /// The damaged parts that records can be read without, which are left out, each with what is wrong with it.
    pub damaged: Vec<(String, TraceDatError)>,
    /// What is wrong with the head of the recording, and the pages that could not be read, or not be cut, so that records of
    /// theirs are left out.
    pub damage: Damage,
}

impl Rewritten {
    /// Returns whether all that the form can hold was copied.
    pub fn is_complete(&self) -> bool {
        self.damaged.is_empty() && self.damage.is_empty()
    }
}

/// The reason why a file cannot be written in another form.
#[derive(Debug, thiserror::Error)]
pub enum RewriteError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] TraceDatError),
    /// The other one cannot be written.
    #[error(transparent)]
    Write(#[from] io::Error),
    /// Version 6 has pages of one size.
    #[error(
        "version 6 describes pages of one size, and buffer `{buffer}` has pages of {found} bytes instead of {described}"
    )]
    PageSize {
        /// The name of the buffer.
        buffer: String,
        /// The size of its pages, bytes.
        found: u32,
        /// The size that the description of pages says, bytes.
        described: u32,
    },
    /// The recording lacks the buffer.
    #[error("the recording has no buffer `{asked}`, but {known}")]
    NoBuffer {
        /// The name of the buffer that was asked for.
        asked: String,
        /// The buffers that there are, as text.
        known: String,
    },
    /// Version 6 is not compressed.
    #[error("version 6 has no compression")]
    Compressed,
}

/// Writes a recording to `out` in a form: all of its records, or an extract.
///
/// The texts, options and buffers of the file are kept. Pages are copied as they are; those that reach beyond the range are
/// written again with the records in it. A page whose first record is in the range still says how many records were lost
/// before it. No more than some pages are held. In the place of pages that cannot be read is one that says that records were
/// lost.
///
/// # Errors
/// [`RewriteError`]. What was written until then is not a recording.
pub fn rewrite<R: Read + Seek, W: Write + Seek>(
    file: &mut TraceDat<R>,
    out: W,
    form: Form,
    extract: &Extract,
) -> Result<(W, Rewritten), RewriteError> {
    let mut outline = file.outline()?;
    if let Some(asked) = &extract.buffer {
        promote(&mut outline.buffers, asked)?;
    }
    keep_stats(&mut outline.options, extract);
    let source = PageSource::File(Cutter::new(extract.range));
    let copy = Copy { file, outline, source, rewritten: Rewritten::default() };
    copy.write(out, form)
}

/// Leaves one buffer, as that of the top level.
fn promote(buffers: &mut Vec<Buffer>, asked: &str) -> Result<(), RewriteError> {
    if !buffers.iter().any(|buffer| buffer.name == asked) {
        let named = |buffer: &Buffer| match buffer.name.as_str() {
            "" => "that of the top level".to_owned(),
            name => format!("`{name}`"),
        };
        let known: Vec<String> = buffers.iter().map(named).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(RewriteError::NoBuffer { asked: asked.to_owned(), known });
    }
    buffers.retain(|buffer| buffer.name == asked);
    for buffer in buffers {
        buffer.name.clear();
    }
    Ok(())
}

/// Leaves out the counts of rings that are not those of an extract: they are about all times, and about each buffer.
fn keep_stats(options: &mut Vec<FileOption>, extract: &Extract) {
    let mut current = String::new();
    options.retain(|found| {
        if found.id != option::CPUSTAT {
            return true;
        }
        let text = String::from_utf8_lossy(&found.data);
        let named = ring_of_stats(&text);
        if let Some(StatsOf::Buffer(name)) = named {
            current = name.to_owned();
        }
        match &extract.buffer {
            _ if extract.range.is_some() => false,
            None => true,
            // It becomes that of the top level.
            Some(asked) => matches!(named, Some(StatsOf::Cpu(_))) && *asked == current,
        }
    });
}

/// The pages of CPUs that take the place of those of a recording.
pub(crate) trait OtherPages {
    /// Returns the layouts of the events whose records the pages have, by the body of a section.
    ///
    /// # Errors
    /// [`RewriteError`].
    fn formats(&self, body: &[u8], big_endian: bool) -> Result<Vec<u8>, RewriteError>;

    /// Gives the pages of a CPU of a buffer to `write`, each as far as it is used.
    ///
    /// # Errors
    /// [`RewriteError`], or that of `write`.
    fn pages(
        &mut self,
        buffer: &Buffer,
        data: &CpuData,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), RewriteError>;
}

/// Writes a recording as [`rewrite`] does, with other pages.
pub(crate) fn rewrite_with<R: Read + Seek, W: Write + Seek>(
    file: &mut TraceDat<R>,
    out: W,
    form: Form,
    pages: &mut dyn OtherPages,
) -> Result<(W, Rewritten), RewriteError> {
    let mut outline = file.outline()?;
    if file.period != (0..=u64::MAX) {
        let range = Some(Range { from: *file.period.start(), to: *file.period.end() });
        keep_stats(&mut outline.options, &Extract { range, buffer: None });
    }
    let copy = Copy { file, outline, source: PageSource::Other(pages), rewritten: Rewritten::default() };
    copy.write(out, form)
}

/// Where the pages of the new file come from.
enum PageSource<'p> {
    File(Cutter),
    Other(&'p mut dyn OtherPages),
}

/// A recording that is being copied.
struct Copy<'f, R> {
    file: &'f mut TraceDat<R>,
    outline: Outline,
    source: PageSource<'f>,
    rewritten: Rewritten,
}

impl<R: Read + Seek> Copy<'_, R> {
    fn write<W: Write + Seek>(mut self, out: W, form: Form) -> Result<(W, Rewritten), RewriteError> {
        for error in self.file.take_damage() {
            self.rewritten.damage.add(0, error);
        }
        match form {
            Form { version: Version::Seven, compression } => self.seven(out, compression),
            Form { version: Version::Six, compression: Compression::None } => self.six(out),
            Form { version: Version::Six, .. } => Err(RewriteError::Compressed),
        }
    }

    /// Returns the bytes of a part: those of layouts are of the pages that the new file gets.
    fn body(&mut self, part: &Part) -> Result<Vec<u8>, RewriteError> {
        let body = self.file.part(part, self.outline.version)?;
        match &self.source {
            PageSource::Other(other) if part.id == option::EVENT_FORMATS => {
                other.formats(&body, self.outline.big_endian)
            }
            _ => Ok(body),
        }
    }

    /// Returns the bytes of a part; `None` for one that is damaged, and that records can be read without.
    fn sound_body(&mut self, part: &Part) -> Result<Option<Vec<u8>>, RewriteError> {
        match self.body(part) {
            Err(RewriteError::File(
                error @ (TraceDatError::Compressed { .. }
                | TraceDatError::Truncated { .. }
                | TraceDatError::TooLarge { .. }),
            )) if DISPENSABLE.contains(&part.id) => {
                let name = option::name(part.id).unwrap_or_default();
                self.rewritten.damaged.push((format!("the section {name}"), error));
                Ok(None)
            }
            body => body.map(Some),
        }
    }

    fn head(&self) -> Head {
        let Outline { big_endian, long_size, page_size, .. } = self.outline;
        Head { big_endian, long_size, page_size }
    }

    /// Writes version 7.
    fn seven<W: Write + Seek>(
        mut self,
        out: W,
        compression: Compression,
    ) -> Result<(W, Rewritten), RewriteError> {
        let mut writer = Writer::new(out, self.head(), compression)?;
        for part in mem::take(&mut self.outline.parts) {
            match part.id {
                // Those of the new file differ.
                option::DONE | option::STRINGS => {}
                option::BUFFER_TEXT => {
                    self.rewritten.left_out.push("the text of a latency tracer".to_owned())
                }
                id => {
                    let Some(body) = self.sound_body(&part)? else { continue };
                    let behind =
                        self.naming(&part).and_then(|data| data.get(8..)).unwrap_or_default().to_vec();
                    // A file may name a part twice; one is enough.
                    writer.section(id, &body, &behind)?;
                }
            }
        }
        for (id, data) in self.plain_options(Version::Seven) {
            writer.option(id, &data)?;
        }
        if self.outline.version == Version::Six {
            let count = self.cpu_count();
            let count = if self.outline.big_endian { count.to_be_bytes() } else { count.to_le_bytes() };
            writer.option(option::CPUCOUNT, &count)?;
        }
        writer.options()?;
        for buffer in mem::take(&mut self.outline.buffers) {
            let mut pages = writer.buffer(&buffer.name, buffer.clock.as_deref(), buffer.page_size)?;
            for data in &buffer.cpus {
                pages.cpu(data.cpu)?;
                self.pages(&buffer, data, &mut |page| pages.page(page))?;
            }
            pages.finish()?;
            writer.options()?;
        }
        Ok((writer.finish()?, self.rewritten))
    }

    /// Writes version 6.
    fn six<W: Write + Seek>(mut self, out: W) -> Result<(W, Rewritten), RewriteError> {
        let described = self.described()?;
        let mut buffers = mem::take(&mut self.outline.buffers);
        if let Some(other) = buffers.iter().find(|buffer| buffer.page_size != described) {
            let (buffer, found) = (other.name.clone(), other.page_size);
            return Err(RewriteError::PageSize { buffer, found, described });
        }
        buffers.sort_by_key(|buffer| !buffer.name.is_empty());
        if buffers.first().is_none_or(|first| !first.name.is_empty()) {
            let page_size = described;
            buffers.insert(0, Buffer { name: String::new(), clock: None, page_size, cpus: Vec::new() });
        }
        self.outline.buffers = buffers;
        let mut out = Output::new(out, self.outline.big_endian);
        self.head().write(&mut out, 6)?;
        for id in COMMON {
            let part = self.outline.part(id).copied();
            let body = part.map(|part| self.sound_body(&part)).transpose()?.flatten();
            match body {
                Some(body) => out.bytes(&body)?,
                // Each begins with a count or a size, of four bytes or of eight.
                None if id == option::CMDLINES => out.u64(0)?,
                None => out.u32(0)?,
            }
        }
        let others =
            self.outline.parts.iter().filter(|part| {
                !COMMON.contains(&part.id) && ![option::DONE, option::STRINGS].contains(&part.id)
            });
        let others = others.map(|part| match option::name(part.id) {
            Some(name) => format!("the section {name}"),
            None => format!("a section of the unknown kind {}", part.id),
        });
        self.rewritten.left_out.extend(others);
        let (cpus, options) = (self.cpu_count(), self.plain_options(Version::Six));
        let buffers = mem::take(&mut self.outline.buffers);
        let tables = write_tables(&mut out, cpus, &options, &buffers.iter().collect::<Vec<_>>())?;
        for (index, buffer) in buffers.iter().enumerate() {
            for data in &buffer.cpus {
                let begin = out.align(buffer.page_size.into())?;
                self.pages(buffer, data, &mut |page| {
                    out.bytes(page)?;
                    out.zeros((buffer.page_size as usize).saturating_sub(page.len()))
                })?;
                let size = out.position() - begin;
                tables.set(&mut out, (index, data.cpu), (begin, size))?;
            }
        }
        Ok((out.finish()?, self.rewritten))
    }

    /// Copies the pages of a CPU.
    fn pages(
        &mut self,
        buffer: &Buffer,
        data: &CpuData,
        write: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), RewriteError> {
        if data.size == 0 {
            return Ok(());
        }
        let cutter = match &mut self.source {
            PageSource::File(cutter) => cutter,
            PageSource::Other(pages) => return pages.pages(buffer, data, write),
        };
        let layout = PageLayout { size: buffer.page_size, ..self.file.layout };
        cutter.begin(layout, self.file.correction(buffer, data.cpu));
        let mut pages = self.file.raw_pages(data, buffer.page_size);
        loop {
            let (mut damaged, mut unread) = (None, None);
            match pages.next_page() {
                Ok(None) => break,
                Ok(Some(page)) => match cutter.cut(&layout, page) {
                    Ok(Kept::All) => {
                        self.rewritten.pages += 1;
                        write(page)?;
                    }
                    Ok(Kept::Some) => self.rewritten.cut += 1,
                    Ok(Kept::None) => {}
                    Err(source) => damaged = Some(source),
                },
                Err(error) => unread = Some(error),
            }
            let damaged =
                damaged.map(|source| TraceDatError::Page { cpu: data.cpu, offset: pages.place(), source });
            if let Some(error) = damaged.or(unread) {
                self.rewritten.damage.add(0, error);
                cutter.lose(&layout);
            }
            for part in cutter.parts.drain(..) {
                write(&part)?;
            }
        }
        self.rewritten.records += mem::take(&mut cutter.records);
        Ok(())
    }

    /// Returns the options for a version that name no part and no buffer. Those of version 6 that say how many CPUs there
    /// are belong to the buffer before them.
    fn plain_options(&self, version: Version) -> Vec<(u16, Vec<u8>)> {
        let is_six = Version::Six == self.outline.version || Version::Six == version;
        let is_another = |found: &&FileOption| {
            let names_part =
                (option::STRINGS..=option::BUFFER_TEXT).contains(&found.id) || self.outline.names_part(found);
            names_part || found.id == option::BUFFER || (is_six && found.id == option::CPUCOUNT)
        };
        let plain = self.outline.options.iter().filter(|found| !is_another(found));
        plain.map(|found| (found.id, found.data.clone())).collect()
    }

    /// Returns the data of the option that names a part.
    fn naming(&self, part: &Part) -> Option<&[u8]> {
        let of_part = |found: &&FileOption| {
            found.id == part.id && self.outline.number_in(&found.data) == Some(part.offset)
        };
        self.outline.options.iter().find(of_part).map(|found| &*found.data)
    }

    /// Returns the number of CPUs of the machine: what the file says, or at least one more than the highest that it has.
    fn cpu_count(&self) -> u32 {
        let said = self.outline.option(option::CPUCOUNT).and_then(|data| data.first_chunk());
        let said = said.map_or(0, |bytes| match self.outline.big_endian {
            true => u32::from_be_bytes(*bytes),
            false => u32::from_le_bytes(*bytes),
        });
        let said = if self.outline.version == Version::Seven { said.min(super::head::MOST_CPUS) } else { 0 };
        let cpus = self.outline.buffers.iter().flat_map(|buffer| &buffer.cpus);
        cpus.map(|data| data.cpu.saturating_add(1)).fold(said, u32::max)
    }

    /// Returns the size of a page that the description of pages says.
    fn described(&mut self) -> Result<u32, TraceDatError> {
        let what = "header_page";
        let part =
            *self.outline.part(option::HEADER_INFO).ok_or(TraceDatError::Unexpected { what, offset: 0 })?;
        let body = self.file.part(&part, self.outline.version)?;
        let mut body = self.file.input.part(body, Place::Within(part.offset));
        Ok(header_page(&mut body)?.size)
    }
}

/// How much of a page belongs to a range.
enum Kept {
    All,
    /// Some records; they are in the [`parts`](Cutter::parts).
    Some,
    None,
}

/// Cuts pages to a range.
struct Cutter {
    range: Option<Range>,
    /// What the time stamps of the current pages take.
    correction: Correction,
    builder: PageBuilder,
    /// The pages that a page was cut to: one, unless its clock steps back.
    parts: Vec<Vec<u8>>,
    records: u64,
    /// The time of the last record of the CPU that was read, as the file has it.
    newest: u64,
}

impl Cutter {
    fn new(range: Option<Range>) -> Self {
        Cutter {
            range,
            correction: Correction::default(),
            builder: PageBuilder::new(PageLayout::default()),
            parts: Vec::new(),
            records: 0,
            newest: 0,
        }
    }

    /// Begins the pages of a CPU.
    fn begin(&mut self, layout: PageLayout, correction: Correction) {
        self.builder = PageBuilder::new(layout);
        self.correction = correction;
        self.newest = 0;
    }

    /// Adds a page that says that records were lost, if that was within the range.
    fn lose(&mut self, layout: &PageLayout) {
        let time = self.correction.apply(self.newest);
        if self.newest == 0 || self.range.is_none_or(|Range { from, to }| (from..=to).contains(&time)) {
            let mut part = Vec::new();
            PageBuilder::empty(*layout, self.newest, Lost::Unknown, &mut part);
            self.parts.push(part);
        }
    }

    fn cut(&mut self, layout: &PageLayout, bytes: &[u8]) -> Result<Kept, PageError> {
        let Some(Range { from, to }) = self.range else { return Ok(Kept::All) };
        let correction = self.correction.clone();
        let contains = |timestamp: u64| (from..=to).contains(&correction.apply(timestamp));
        let page = Page::new(layout, bytes)?;
        let (mut all, mut within, mut first_is_within) = (0_u64, 0_u64, false);
        for entry in page.entries() {
            let timestamp = entry?.timestamp;
            self.newest = timestamp;
            let is_within = contains(timestamp);
            first_is_within |= all == 0 && is_within;
            all += 1;
            within += u64::from(is_within);
        }
        self.records += within;
        if within == all {
            // One without records may say that some were lost.
            let is_kept = all > 0 || (page.lost() != Lost::None && contains(page.timestamp()));
            return Ok(if is_kept { Kept::All } else { Kept::None });
        }
        if within == 0 {
            return Ok(Kept::None);
        }
        let mut lost = if first_is_within { page.lost() } else { Lost::None };
        for entry in page.entries() {
            let entry = entry?;
            if !contains(entry.timestamp) || self.builder.add(entry.timestamp, entry.data) {
                continue;
            }
            self.take(mem::replace(&mut lost, Lost::None));
            if !self.builder.add(entry.timestamp, entry.data) {
                // A page with this record alone would be longer than the one that it comes from.
                return Err(PageError::Entry { offset: 0 });
            }
        }
        self.take(lost);
        Ok(Kept::Some)
    }

    fn take(&mut self, lost: Lost) {
        let mut part = Vec::new();
        self.builder.take(lost, &mut part);
        self.parts.push(part);
    }
}
