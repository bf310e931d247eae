//! trace.dat, the file of `trace-cmd record`, in version 6 (trace-cmd.dat.v6(5)).
//!
//! The head describes the kernel that was traced; raw ring-buffer pages of each CPU follow. The head is read at once,
//! pages as they are asked for. Every length is checked against the file before it is believed.

mod head;
mod input;
mod pages;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;

use tracec_kernel::format::{EventFormat, FormatError};
use tracec_kernel::page::PageLayout;

pub(crate) use pages::Pages;

use super::names::Names;
use input::Input;

/// Why a file cannot be read as trace.dat.
#[derive(Debug, thiserror::Error)]
pub enum TraceDatError {
    /// The file could not be opened or read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It does not begin like a trace.dat.
    #[error("it is not a trace.dat file")]
    NotTraceDat,
    /// It is of a version other than 6.
    #[error(
        "it is a trace.dat of version {version}; only version 6 can be read (`trace-cmd convert --file-version 6`)"
    )]
    Version {
        /// Its version, as written.
        version: String,
    },
    /// It holds text, not records (`trace-cmd record` of a latency tracer).
    #[error("it holds the text of a latency trace, no records")]
    Latency,
    /// It ends early, or a length in it reaches past its end.
    #[error("it ends within {what}, which begins at byte {offset}")]
    Truncated {
        /// The part.
        what: &'static str,
        /// Where the part begins.
        offset: u64,
    },
    /// Something else stands where a part should begin.
    #[error("at byte {offset}, {what} was expected")]
    Unexpected {
        /// The part.
        what: &'static str,
        /// Where it should begin.
        offset: u64,
    },
    /// Its `header_page` makes no sense.
    #[error("its description of ring-buffer pages cannot be understood: {0}")]
    Layout(FormatError),
}

/// Where the pages of a CPU lie in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuData {
    /// The CPU.
    pub cpu: u32,
    /// Offset of the first page, bytes.
    pub offset: u64,
    /// Size of all pages, bytes.
    pub size: u64,
}

/// A trace buffer that was recorded: the top one or an instance's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// The instance; empty for the top buffer.
    pub name: String,
    /// Its trace clock.
    pub clock: Option<String>,
    /// The CPUs that have pages.
    pub cpus: Vec<CpuData>,
}

/// An opened trace.dat file.
#[derive(Debug)]
pub struct TraceDat<R> {
    /// The layout of its pages.
    pub layout: PageLayout,
    /// The layouts of its events.
    pub formats: Vec<EventFormat>,
    /// Events whose layout could not be understood: name or number, and why. Their records cannot be read.
    pub unreadable: Vec<(String, FormatError)>,
    /// `/proc/kallsyms` of the kernel that was traced; may be empty.
    pub kallsyms: Vec<u8>,
    /// `saved_cmdlines` of that kernel.
    pub cmdlines: Vec<u8>,
    /// What was recorded, the top buffer first.
    pub buffers: Vec<Buffer>,
    input: Input<R>,
}

impl TraceDat<File> {
    /// Opens a file and reads its head.
    ///
    /// # Errors
    /// [`TraceDatError`].
    pub fn open(path: &Path) -> Result<Self, TraceDatError> {
        Self::read(File::open(path)?)
    }
}

impl<R: Read + Seek> TraceDat<R> {
    /// Reads the head of a file.
    ///
    /// # Errors
    /// [`TraceDatError`].
    pub fn read(source: R) -> Result<Self, TraceDatError> {
        let mut input = Input::new(source)?;
        let head = head::read(&mut input)?;
        let head::Head { layout, formats, unreadable, kallsyms, cmdlines, buffers } = head;
        Ok(TraceDat { layout, formats, unreadable, kallsyms, cmdlines, buffers, input })
    }

    /// Returns the trace clock of the top buffer: the kernel's default where the file has none.
    pub fn clock(&self) -> &str {
        self.buffers.first().and_then(|buffer| buffer.clock.as_deref()).unwrap_or("local")
    }

    /// Returns the two things in which a recording differs from a live session.
    pub(crate) fn source(&mut self) -> (Pages<'_, R>, Names<'_>) {
        let pages = Pages::new(&mut self.input, &self.layout, &self.buffers);
        (pages, Names::recorded(&self.cmdlines, &self.kallsyms))
    }
}
