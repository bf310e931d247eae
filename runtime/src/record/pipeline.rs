//! The path of a record: the pages of a source are filtered, their records are merged by time, decoded, named and
//! written.
//!
//! A live session and a recording use the same pipeline. They differ in the source and in the origin of [`Names`]. A
//! [`Ring`](super::ring::Ring) is still written to while it is read: its pages are pushed into a [`Merge`]. The
//! [`Pages`](super::trace_dat::Pages) of a recording are all there, and are merged where they are.

use std::collections::BTreeMap;
use std::ops::DerefMut;

use rustc_hash::FxHashMap;
use tracec_kernel::page::Lost;
use tracec_kernel::record::Decoder;
use tracec_kernel::text::Environment;

use super::environment::Kernel;
use super::merge::{Due, Merge};
use super::names::Names;
use super::pass::Pass;
use super::texts::Texts;
use crate::sink::{Event, Frame, Printed, Ring, Sink, SinkError};

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Records given to the sink.
    pub(crate) records: u64,
    /// Records that the merge has released.
    pub(crate) released: u64,
    /// Records without a layout.
    pub(crate) unknown: u64,
    /// Lost records that the pages counted, by CPU.
    lost: FxHashMap<u32, u64>,
    /// The number of losses whose size is unknown: a full page has no room for it.
    uncounted: u64,
}

impl Counts {
    /// Counts a loss of a CPU.
    pub(crate) fn lose(&mut self, cpu: u32, lost: Lost) {
        match lost {
            Lost::None => {}
            Lost::Unknown => self.uncounted += 1,
            Lost::Count(count) => {
                let total = self.lost.entry(cpu).or_default();
                *total = total.saturating_add(count);
            }
        }
    }

    /// Returns the number of lost records that the pages counted.
    pub(crate) fn counted_lost(&self) -> u64 {
        self.lost.values().fold(0, |sum, lost| sum.saturating_add(*lost))
    }

    /// Returns the least number of records that were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.counted_lost().saturating_add(self.uncounted)
    }

    /// Returns the losses of each CPU that had some: the larger of `counted`, which its ring counted, and the number in
    /// its pages.
    pub(crate) fn losses(&self, counted: &[(u32, u64)]) -> Vec<(u32, u64)> {
        let mut losses: BTreeMap<u32, u64> = counted.iter().copied().collect();
        for (&cpu, &reported) in &self.lost {
            let loss = losses.entry(cpu).or_default();
            *loss = reported.max(*loss);
        }
        losses.into_iter().filter(|(_, loss)| *loss > 0).collect()
    }
}

/// The stages after a merge, whose last is a sink that the pipeline borrows or owns.
pub(crate) struct Pipeline<'n, S> {
    decoder: Decoder,
    names: Names,
    kernel: Kernel<'n>,
    texts: Texts,
    pub(crate) sink: S,
    pub(crate) counts: Counts,
}

impl<'n, S: DerefMut<Target: Sink>> Pipeline<'n, S> {
    pub(crate) fn new(decoder: Decoder, names: Names, kernel: Kernel<'n>, sink: S) -> Self {
        Pipeline { decoder, names, kernel, texts: Texts::default(), sink, counts: Counts::default() }
    }

    /// Takes the names that a pass knows.
    pub(crate) fn learn(&mut self, pass: &Pass) {
        self.names.learn(pass.names());
    }

    /// Ends a pass over buffers that are still written to, and writes the records that are due.
    pub(crate) fn end_pass(&mut self, merge: &mut Merge) -> Result<(), SinkError> {
        self.names.begin_batch();
        merge.end_pass(|due| self.write(due))
    }

    /// Writes the records that a merge still holds, and the losses that the pages did not report. `lost` is the count
    /// of each CPU's ring.
    pub(crate) fn finish(&mut self, merge: &mut Merge, lost: &[(u32, u64)]) -> Result<(), SinkError> {
        self.names.begin_batch();
        merge.release_all(|due| self.write(due))?;
        for &(cpu, total) in lost {
            let reported = self.counts.lost.get(&cpu).copied().unwrap_or(0);
            if let Some(unreported) = total.checked_sub(reported).filter(|unreported| *unreported > 0) {
                self.lost(Ring { buffer: 0, cpu }, Lost::Count(unreported))?;
            }
        }
        self.sink.finish()
    }

    /// Writes a record or a loss.
    pub(crate) fn write(&mut self, due: Due<'_>) -> Result<(), SinkError> {
        match due {
            Due::Lost { ring, lost } => self.lost(ring, lost),
            Due::Record { ring, timestamp, data } => {
                self.counts.released += 1;
                self.record(ring, timestamp, data)
            }
        }
    }

    /// Writes a loss.
    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        if lost == Lost::None {
            return Ok(());
        }
        self.counts.lose(ring.cpu, lost);
        self.sink.lost(ring, lost)
    }

    fn record(&mut self, ring: Ring, timestamp: u64, data: &[u8]) -> Result<(), SinkError> {
        let Ok(record) = self.decoder.record(data) else {
            self.counts.unknown += 1;
            return Ok(());
        };
        let frames: Option<Vec<Frame<'_>>> = record.stack().map(|addresses| {
            let symbols = self.kernel.symbols();
            addresses.map(|address| symbols.frame(address)).collect()
        });
        let text = match self.sink.needs_text() {
            true => {
                let (format, sink) = (record.format, &mut self.sink);
                let kernel = (&self.kernel as &dyn Environment, sink.style());
                self.texts.of(format, kernel, |error| sink.without_text(format, error))?
            }
            false => None,
        };
        let text = text.map(|text| Printed::new(text, data, &self.kernel));
        let comm = self.names.comm(record.common_pid());
        self.counts.records += 1;
        let stack = frames.as_deref();
        let Ring { buffer, cpu } = ring;
        self.sink.record(&Event { timestamp, buffer, cpu, comm, record: &record, text, stack })
    }
}
