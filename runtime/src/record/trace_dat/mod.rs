//! trace.dat, the file of `trace-cmd record`, in versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)).
//!
//! The head describes the traced kernel; raw ring-buffer pages of each CPU follow, compressed or not. The head is read when
//! the file is opened, pages when they are needed. Every length is checked against the size of the file before it is used,
//! and what compressed bytes become has a limit.

mod compression;
mod damage;
mod extent;
mod found;
mod head;
mod input;
mod moving;
pub mod option;
mod outline;
mod pages;
mod places;
mod raw;
mod rewrite;
mod section;
mod shift;
mod stated;
mod v6;
mod v7;
mod writer;

use std::fs::File;
use std::io::{Read, Seek};
use std::ops::RangeInclusive;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use tracec_kernel::format::{EventFormat, FormatError, of_block_trace};
use tracec_kernel::page::{PageError, PageLayout};

pub use compression::{Chunk, Compression};
pub use damage::Damage;
pub use outline::{FileOption, Outline, Part, Version};
pub(crate) use pages::{Pages, Piece, Step};
pub use raw::RawPages;
pub use rewrite::{Extract, Form, Range, RewriteError, Rewritten, rewrite};
pub(crate) use rewrite::{OtherPages, rewrite_with};
pub(crate) use writer::LiveFile;
pub use writer::{BufferWriter, Head, Writer};

use super::environment::Kernel;
use super::late::Late;
use super::names::{self, Names};
use crate::sink::{BufferOverview, Overview, Ring, Timestamps};
use input::Input;
pub use input::PagesRead;
pub(crate) use input::SharedFile;
use stated::{Correction, Stated};

/// The reason why a file cannot be read as trace.dat.
#[derive(Debug, thiserror::Error)]
pub enum TraceDatError {
    /// The file could not be opened or read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is a pipe, or another file without positions.
    #[error("it is a pipe, and a recording is read at many places: write it to a file first")]
    Pipe,
    /// It does not begin with the magic number.
    #[error("it is not a trace.dat file")]
    NotTraceDat,
    /// It is compressed as a whole.
    #[error("it is compressed with {program}")]
    Packed {
        /// The program that unpacks it to standard output, with `-dc`.
        program: &'static str,
    },
    /// It is of a version other than 6 and 7.
    #[error("it is a trace.dat of version {version}; versions 6 and 7 can be read")]
    Version {
        /// Its version, as written.
        version: String,
    },
    /// It is compressed in a way that is not known.
    #[error("at byte {offset}, it is said to be compressed by `{name}`; zlib and zstd can be read")]
    Compression {
        /// The name, as written.
        name: String,
        /// The offset of the name.
        offset: u64,
    },
    /// A compressed part is damaged.
    #[error("{what} at byte {offset} cannot be decompressed: {reason}")]
    Compressed {
        /// The part.
        what: &'static str,
        /// Its offset.
        offset: u64,
        /// The reason.
        reason: String,
    },
    /// A compressed part says that it becomes more than such a part has.
    #[error("{what} at byte {offset} would become {bytes} bytes")]
    TooLarge {
        /// The part.
        what: &'static str,
        /// Its offset.
        offset: u64,
        /// The size that it claims.
        bytes: u64,
    },
    /// It contains text, not records (`trace-cmd record` of a latency tracer).
    #[error("it contains the text of a latency trace, not records")]
    Latency,
    /// It ends early, or a length in it exceeds the rest of the file.
    #[error("it ends within {what}, which begins at byte {offset}")]
    Truncated {
        /// The part.
        what: &'static str,
        /// The offset at which the part begins.
        offset: u64,
    },
    /// It ends before options of it.
    #[error("it is cut at byte {length}, before its options at byte {offset}")]
    Cut {
        /// The length of the file, bytes.
        length: u64,
        /// The offset of the options.
        offset: u64,
    },
    /// Other bytes are found where a part should begin.
    #[error("at byte {offset}, {what} was expected")]
    Unexpected {
        /// The part.
        what: &'static str,
        /// The offset at which it should begin.
        offset: u64,
    },
    /// Pages belong to two CPUs.
    #[error("the pages of cpu {} and of cpu {} overlap at byte {offset}", cpus.0, cpus.1)]
    Overlap {
        /// The CPUs; they are the same if the buffers differ.
        cpus: (u32, u32),
        /// The offset of the first page that belongs to both.
        offset: u64,
    },
    /// Its `header_page` is malformed.
    #[error("its description of ring-buffer pages cannot be understood: {0}")]
    Layout(FormatError),
    /// A page is damaged.
    #[error("the page of cpu {cpu} at byte {offset} is damaged: {source}")]
    Page {
        /// The CPU.
        cpu: u32,
        /// The offset of the page in the file.
        offset: u64,
        /// The error.
        source: PageError,
    },
    /// A part is damaged or missing that others can be read without.
    #[error("{source}: {missing}")]
    Part {
        /// What is missing without it.
        missing: &'static str,
        /// What is wrong with it.
        source: Box<TraceDatError>,
    },
}

impl TraceDatError {
    /// Returns it as that of a part without which something is missing.
    fn without(self, missing: &'static str) -> Self {
        TraceDatError::Part { missing, source: self.into() }
    }

    /// Returns what is wrong, where more is missing than a part.
    fn into_source(self) -> Self {
        match self {
            TraceDatError::Part { source, .. } => *source,
            error => error,
        }
    }
}

/// How files begin that programs have compressed.
const PACKED: [(&[u8], &str); 4] =
    [(b"\x1f\x8b", "gzip"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"BZh", "bzip2")];

/// Returns the error for a file that does not begin as a trace.dat file.
fn packed<R: Read + Seek>(input: &mut Input<R>) -> TraceDatError {
    let found = PACKED
        .into_iter()
        .find(|(begin, _)| input.seek(0).is_ok() && input.expect(begin, "the magic number").is_ok());
    found.map_or(TraceDatError::NotTraceDat, |(_, program)| TraceDatError::Packed { program })
}

/// The position of a CPU's pages in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuData {
    /// The CPU.
    pub cpu: u32,
    /// The offset of the first page in bytes.
    pub offset: u64,
    /// The number of bytes that all pages have in the file.
    pub size: u64,
    /// The chunks that the pages are compressed in; none if they are not.
    pub chunks: Vec<Chunk>,
}

impl CpuData {
    /// Returns the offset among the pages at which about so many bytes behind another one can end: that of a page, and
    /// where the pages are compressed, of a chunk.
    pub(crate) fn end_behind(&self, at: u64, size: u64, page_size: u32) -> u64 {
        let end = at.saturating_add(size);
        let chunk = self.chunks.partition_point(|chunk| chunk.at + u64::from(chunk.length) < end);
        let end = self.chunks.get(chunk).map_or(end, |chunk| chunk.at + u64::from(chunk.length));
        end.checked_next_multiple_of(page_size.max(1).into()).unwrap_or(u64::MAX).min(self.length())
    }

    /// Returns the place in the file of the pages at an offset: where they are compressed, that of their chunk.
    pub(super) fn place(&self, at: u64) -> u64 {
        let chunk = self.chunks.iter().find(|chunk| at < chunk.end());
        chunk.or(self.chunks.last()).map_or(self.offset.saturating_add(at), |chunk| chunk.offset)
    }

    /// Returns the number of bytes that all pages take in the file.
    fn stored(&self) -> u64 {
        match self.chunks.is_empty() {
            true => self.size,
            false => self.chunks.iter().map(|chunk| u64::from(chunk.stored)).sum(),
        }
    }

    /// Returns the size of all pages in bytes.
    pub fn length(&self) -> u64 {
        match self.chunks.last() {
            Some(last) => last.at.saturating_add(last.length.into()),
            None => self.size,
        }
    }
}

/// A trace buffer that was recorded: that of the top level or of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The name of the instance; empty for the top level.
    pub name: String,
    /// The trace clock.
    pub clock: Option<String>,
    /// The size of its pages (sub-buffers), bytes.
    pub page_size: u32,
    /// The CPUs that have pages.
    pub cpus: Vec<CpuData>,
}

impl Buffer {
    /// Returns its clock, or the kernel's default if the file does not say.
    pub fn clock(&self) -> &str {
        self.clock.as_deref().unwrap_or("local")
    }
}

/// The text of a latency tracer, which a file has in the place of records (`trace-cmd record -p wakeup`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferText {
    /// The name of the instance; empty for the top level.
    pub name: String,
    /// What the kernel's file `trace` was.
    pub text: Vec<u8>,
}

/// An opened trace.dat file.
#[derive(Debug)]
pub struct TraceDat<R> {
    /// The layout of its pages; their size is that of the first buffer.
    pub layout: PageLayout,
    /// The layouts of its events.
    pub formats: Vec<EventFormat>,
    /// Events whose layout is malformed: the name or number, and the error. Their records cannot be read.
    pub unreadable: Vec<(String, FormatError)>,
    /// `/proc/kallsyms` of the traced kernel; may be empty.
    kallsyms: Late,
    /// `printk_formats` of the traced kernel; may be empty.
    pub printk_formats: Vec<u8>,
    /// `saved_cmdlines` of that kernel.
    pub cmdlines: Vec<u8>,
    /// The section with the types of that kernel (BTF); empty for a file without.
    types: Late,
    /// The recorded buffers, that of the top level first.
    pub buffers: Vec<Buffer>,
    /// The texts of latency tracers.
    texts: Vec<BufferText>,
    /// The number of CPUs of the traced machine.
    pub cpus: u32,
    /// How it is compressed.
    pub compression: Compression,
    stated: Stated,
    period: RangeInclusive<u64>,
    /// What is wrong with its head.
    damage: Vec<TraceDatError>,
    /// Whether some of its options cannot be read.
    is_broken: bool,
    input: Input<R>,
}

/// How many times the head of a file is read that changes meanwhile.
const ATTEMPTS: u32 = 5;

/// The last change of a file: its length, and when it was.
#[derive(PartialEq, Eq)]
struct Change(u64, [i64; 2]);

impl Change {
    fn of(file: &File) -> std::io::Result<Self> {
        let found = file.metadata()?;
        Ok(Change(found.len(), [found.mtime(), found.mtime_nsec()]))
    }
}

impl TraceDat<File> {
    /// Opens a file and reads its head.
    ///
    /// # Errors
    /// [`TraceDatError`], if no records can be read. What is [damaged](TraceDat::damage) besides is not an error.
    pub fn open(path: &Path) -> Result<Self, TraceDatError> {
        let mut attempts = ATTEMPTS;
        loop {
            attempts -= 1;
            let file = File::open(path)?;
            let before = Change::of(&file)?;
            match Self::of_file(file.try_clone()?) {
                // A session is writing it: its parts may have moved between one look and the next.
                Err(_) if attempts > 0 && Change::of(&file)? != before => {}
                Ok(read) if !read.damage.is_empty() && attempts > 0 && Change::of(&file)? != before => {}
                read => return read,
            }
        }
    }

    fn of_file(file: File) -> Result<Self, TraceDatError> {
        let mut input = Input::new(file)?;
        input.keep_file()?;
        Self::with_records(Self::read_any(input)?)
    }
}

/// A reader of the pages of a recording beside others.
pub(crate) struct PageInput<'f>(Input<SharedFile<'f>>);

impl TraceDat<File> {
    /// Returns a reader of the pages of one CPU, beside others.
    pub(crate) fn page_input(&self) -> PageInput<'_> {
        PageInput(self.input.shared())
    }

    /// Returns a reader of the same pages beside this one, which knows what they take and nothing else of the file.
    pub(crate) fn beside(&self) -> Result<Self, TraceDatError> {
        Ok(TraceDat {
            layout: self.layout,
            formats: Vec::new(),
            unreadable: Vec::new(),
            kallsyms: Late::default(),
            printk_formats: Vec::new(),
            cmdlines: Vec::new(),
            types: Late::default(),
            buffers: self.buffers.clone(),
            texts: Vec::new(),
            cpus: self.cpus,
            compression: self.compression,
            stated: self.stated.clone(),
            period: self.period.clone(),
            damage: Vec::new(),
            is_broken: self.is_broken,
            input: self.input.beside()?,
        })
    }

    /// Returns the pages of a CPU of the buffer at an index, of which about `share` bytes are held. Records keep the time
    /// stamps that are in the file if `is_raw`.
    pub(crate) fn lane<'f>(
        &'f self,
        input: &'f mut PageInput<'f>,
        (index, buffer): (u32, &Buffer),
        data: &CpuData,
        how: (usize, bool),
    ) -> Pages<'f, SharedFile<'f>> {
        let form = (&self.layout, self.compression);
        let buffer = (index, buffer, self.correction(buffer, data.cpu));
        Pages::of_lane(&mut input.0, form, buffer, data, self.period.clone(), how)
    }
}

impl<R: Read + Seek> TraceDat<R> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// [`TraceDatError`]; [`TraceDatError::Latency`] for a file that has texts and no records.
    pub fn read(source: R) -> Result<Self, TraceDatError> {
        Self::with_records(Self::read_any(Input::new(source)?)?)
    }

    /// Reads the texts of a file that has those of latency tracers in the place of records; none of another file.
    ///
    /// # Errors
    /// [`TraceDatError`], also of a head that is damaged: a part of a text may be missing.
    pub fn read_texts(source: R) -> Result<Vec<BufferText>, TraceDatError> {
        let mut read = Self::read_any(Input::new(source)?)?;
        read.take_damage().into_iter().next().map_or(Ok(read.texts), Err)
    }

    /// Returns an error for a file that has texts and no records.
    fn with_records(read: Self) -> Result<Self, TraceDatError> {
        match read.buffers.is_empty() && !read.texts.is_empty() {
            true => Err(TraceDatError::Latency),
            false => Ok(read),
        }
    }

    fn read_any(mut input: Input<R>) -> Result<Self, TraceDatError> {
        match input.expect(b"\x17\x08\x44tracing", "the magic number") {
            Err(TraceDatError::Truncated { .. } | TraceDatError::Unexpected { .. }) => {
                return Err(packed(&mut input));
            }
            other => other?,
        }
        let version = input.name("the version")?;
        let read = match version.as_str() {
            "6" => v6::read,
            "7" => v7::read,
            _ => return Err(TraceDatError::Version { version }),
        };
        let big_endian = input.u8("the byte order")? != 0;
        input.set_big_endian(big_endian);
        input.u8("the size of a long")?;
        // Each buffer has pages of a size of its own.
        input.u32("the page size")?;
        let mut read = read(input)?;
        read.formats.extend(of_block_trace(&read.formats));
        Ok(read)
    }

    /// Returns what is wrong with its head, where records can be read nevertheless. Reports and copies
    /// [take](TraceDat::take_damage) it.
    pub fn damage(&self) -> &[TraceDatError] {
        &self.damage
    }

    /// Takes what is wrong with its head, to say it with what is wrong with its pages.
    pub fn take_damage(&mut self) -> Vec<TraceDatError> {
        std::mem::take(&mut self.damage)
    }

    /// Returns whether a session may still write it: it lacks what such a file gets last.
    pub fn is_growing(&self) -> bool {
        self.input.places().is_some()
    }

    /// Returns the trace clock of the top level, or the kernel's default if the file has none.
    pub fn clock(&self) -> &str {
        self.buffers.first().map_or("local", Buffer::clock)
    }

    /// Returns what a sink can know before the first record.
    pub fn overview(&self) -> Overview {
        let notation = |clock: &str, of: fn(&str) -> Timestamps| match Correction::of(&self.stated, clock, 0)
            .makes_nanoseconds()
        {
            true => Timestamps::Nanoseconds,
            false => of(clock),
        };
        let buffer = |buffer: &Buffer| BufferOverview {
            name: buffer.name.clone(),
            file: None,
            instance: buffer.name.clone(),
            clock: buffer.clock().to_owned(),
            timestamps: notation(buffer.clock(), Timestamps::of_clock),
        };
        let buffers = self.buffers.iter().map(buffer).collect();
        let stated = self.stated.clock.as_deref().map(|clock| notation(clock, Timestamps::of_trace_cmd));
        Overview { cpus: self.cpus, buffers, stated }
    }

    /// Returns what `uname` says of the traced machine, if the file has it.
    pub fn uname(&self) -> Option<&str> {
        self.stated.uname.as_deref()
    }

    /// Returns the threads whose names the file has, in its order, by their ids.
    pub fn tasks(&self) -> Vec<(i32, String)> {
        let name = |name: Box<[u8]>| String::from_utf8_lossy(&name).into_owned();
        names::parse(&self.cmdlines).map(|(pid, bytes)| (pid, name(bytes))).collect()
    }

    /// Returns the number of records that rings have lost as these counted them, where the file states it. It is about all
    /// times, so there is none of a [period](TraceDat::set_period).
    pub fn stated_losses(&self) -> Vec<(Ring, u64)> {
        if self.period != (0..=u64::MAX) {
            return Vec::new();
        }
        let of_buffer = |(buffer, named): (u32, &Buffer)| {
            let name: Arc<str> = named.name.as_str().into();
            let lost = |data: &CpuData| self.stated.losses.get(&(Arc::clone(&name), data.cpu)).copied();
            let of_cpu = |data: &CpuData| lost(data).map(|lost| (Ring { buffer, cpu: data.cpu }, lost));
            named.cpus.iter().filter_map(of_cpu).collect::<Vec<_>>()
        };
        (0..).zip(&self.buffers).flat_map(of_buffer).collect()
    }

    /// Lets only records of a period be read; by default all are. The time stamps are corrected ones.
    pub fn set_period(&mut self, period: RangeInclusive<u64>) {
        self.period = period;
    }

    /// Returns how much of the pages is read, now and later.
    pub fn pages_read(&self) -> PagesRead {
        let cpus = self.buffers.iter().flat_map(|buffer| &buffer.cpus);
        PagesRead { read: self.input.pages_read(), all: cpus.map(CpuData::stored).sum() }
    }

    /// Returns how the time stamps of a CPU of a buffer are corrected.
    pub(crate) fn correction(&self, buffer: &Buffer, cpu: u32) -> Correction {
        Correction::of(&self.stated, buffer.clock(), cpu)
    }

    /// Returns the source of pages, the names of threads and the kernel of a recording, the parts in which it differs from
    /// a live session.
    pub(crate) fn source(&mut self) -> (Pages<'_, R>, Names, Kernel<'_>) {
        let stated = &self.stated;
        let correction = |buffer: &Buffer, cpu: u32| Correction::of(stated, buffer.clock(), cpu);
        let buffers = (self.buffers.iter(), correction);
        let form = (&self.layout, self.compression);
        let pages = Pages::new(&mut self.input, form, buffers, self.period.clone());
        let texts = [&*self.printk_formats, &*self.cmdlines];
        let (names, kernel) = machine(texts, (&self.kallsyms, &self.types), &self.stated, &self.layout);
        (pages, names, kernel)
    }

    /// Returns the names of threads and the kernel, where the pages are read beside each other.
    pub(crate) fn machine(&self) -> (Names, Kernel<'_>) {
        let texts = [&*self.printk_formats, &*self.cmdlines];
        machine(texts, (&self.kallsyms, &self.types), &self.stated, &self.layout)
    }
}

/// Returns the names of threads and the kernel of a recording, by its texts of `printk_formats` and `saved_cmdlines`, and by
/// the sections with its symbols and types.
fn machine<'f>(
    texts: [&'f [u8]; 2],
    (kallsyms, types): (&'f Late, &'f Late),
    stated: &'f Stated,
    layout: &PageLayout,
) -> (Names, Kernel<'f>) {
    let [.., cmdlines] = texts;
    let kernel = Kernel::recorded(kallsyms, texts, stated.uname.as_deref(), layout.little_endian);
    (Names::recorded(cmdlines), kernel.with_types(types))
}
