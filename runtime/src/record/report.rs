//! A recorded trace shown through a sink.

use std::io::{Read, Seek};

use tracec_kernel::page::{Lost, Page, PageError};
use tracec_kernel::record::Decoder;

use super::merge::{Due, Merge};
use super::names::Names;
use super::symbols::{Frame, Symbols};
use super::trace_dat::{CpuData, TraceDat, TraceDatError};
use crate::sink::{Event, Sink, SinkError};

/// How many bytes of a CPU's pages are read at once; at least one page is.
const CHUNK: usize = 256 * 1024;

/// What was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records given to the sink.
    pub records: u64,
    /// Records without a known layout.
    pub unknown: u64,
    /// Lost records that the pages count.
    pub lost: u64,
}

/// Why a recorded trace could not be shown to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] TraceDatError),
    /// A page makes no sense.
    #[error("the page of cpu {cpu} at byte {offset} is damaged: {source}")]
    Page {
        /// The CPU.
        cpu: u32,
        /// Where the page begins in the file.
        offset: u64,
        /// What is wrong with it.
        source: PageError,
    },
    /// The sink takes no more. [`SinkError::Closed`] is usually no failure.
    #[error(transparent)]
    Sink(#[from] SinkError),
}

/// Shows all records of all buffers of a file in the order of time.
///
/// # Errors
/// [`ReportError`]; the records before it have been shown.
pub fn report<R: Read + Seek>(file: &mut TraceDat<R>, sink: &mut dyn Sink) -> Result<Report, ReportError> {
    let data: Vec<CpuData> = file.buffers.iter().flat_map(|buffer| buffer.cpus.iter().copied()).collect();
    let mut merge = Merge::new(data.iter().map(|data| data.cpu));
    let mut lanes: Vec<Lane> = data.into_iter().map(|data| Lane { data, read: 0 }).collect();
    let mut shown = Shown {
        decoder: Decoder::for_layout(file.formats.clone(), &file.layout),
        names: Names::parse(&file.cmdlines),
        symbols: None,
        report: Report::default(),
        sink,
    };
    let mut pages = Vec::with_capacity(CHUNK.max(file.layout.size as usize));
    loop {
        for (index, lane) in lanes.iter_mut().enumerate() {
            while merge.is_empty(index) && lane.read < lane.data.size {
                lane.read_some(file, index, &mut merge, &mut pages)?;
            }
            merge.set_drained(index, lane.read >= lane.data.size);
        }
        merge.release_ready(|due| shown.show(&file.kallsyms, due))?;
        if merge.all_drained() {
            break;
        }
    }
    for (cpu, lost) in merge.trailing_losses() {
        shown.tell_lost(cpu, lost)?;
    }
    shown.sink.finish()?;
    Ok(shown.report)
}

/// How far a CPU's pages have been read.
struct Lane {
    data: CpuData,
    read: u64,
}

impl Lane {
    fn read_some<R: Read + Seek>(
        &mut self,
        file: &mut TraceDat<R>,
        index: usize,
        merge: &mut Merge,
        pages: &mut Vec<u8>,
    ) -> Result<(), ReportError> {
        file.read_pages(self.data, self.read, pages)?;
        for bytes in pages.chunks(file.layout.size.max(1) as usize) {
            let offset = self.data.offset + self.read;
            let page = Page::new(&file.layout, bytes).and_then(|page| merge.push(index, &page));
            page.map_err(|source| ReportError::Page { cpu: self.data.cpu, offset, source })?;
            self.read += bytes.len() as u64;
        }
        Ok(())
    }
}

struct Shown<'a> {
    decoder: Decoder,
    names: Names,
    symbols: Option<Symbols>,
    report: Report,
    sink: &'a mut dyn Sink,
}

impl Shown<'_> {
    fn show(&mut self, kallsyms: &[u8], due: Due<'_>) -> Result<(), SinkError> {
        let Due { cpu, timestamp, lost, data } = due;
        self.tell_lost(cpu, lost)?;
        let Ok(record) = self.decoder.record(data) else {
            self.report.unknown += 1;
            return Ok(());
        };
        let comm = self.names.get(record.common_pid());
        let stack: Option<Vec<Frame<'_>>> = record.stack().map(|addresses| {
            let symbols: &Symbols =
                self.symbols.get_or_insert_with(|| Symbols::parse(&String::from_utf8_lossy(kallsyms)));
            addresses.map(|address| symbols.frame(address)).collect()
        });
        self.report.records += 1;
        self.sink.record(&Event { timestamp, cpu, comm, record: &record, stack: stack.as_deref() })
    }

    fn tell_lost(&mut self, cpu: u32, lost: Lost) -> Result<(), SinkError> {
        if let Lost::Count(count) = lost {
            self.report.lost = self.report.lost.saturating_add(count);
        }
        if lost == Lost::None { Ok(()) } else { self.sink.lost(cpu, lost) }
    }
}
