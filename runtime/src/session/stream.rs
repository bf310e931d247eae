//! From raw pages to the sink: merged in time, decoded, named.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use tracec_kernel::page::Lost;
use tracec_kernel::plan::Reading;
use tracec_kernel::record::{Decoder, Record};

use crate::record::host::{HostFilter, Stacks};
use crate::record::merge::{Due, Merge};
use crate::record::names::LiveNames;
use crate::record::ring::{Ring, RingError};
use crate::record::symbols::{Frame, Symbols};
use crate::sink::{Event, Sink, SinkError};
use crate::tracefs::{Tracefs, TracefsError};

/// Why the stream stopped.
#[derive(Debug)]
pub(super) enum StreamError {
    Ring(RingError),
    Sink(SinkError),
    Names(TracefsError),
}

impl From<RingError> for StreamError {
    fn from(error: RingError) -> Self {
        StreamError::Ring(error)
    }
}

impl From<SinkError> for StreamError {
    fn from(error: SinkError) -> Self {
        StreamError::Sink(error)
    }
}

/// What was shown so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) records: u64,
    /// Records without a layout.
    pub(super) unknown: u64,
    /// Lost records that the pages counted, by CPU.
    lost: FxHashMap<u32, u64>,
    /// Losses that they did not count: a full page has no room for the number.
    uncounted: u64,
}

impl Counts {
    /// Records lost so far, at least.
    pub(super) fn lost(&self) -> u64 {
        self.lost.values().sum::<u64>().saturating_add(self.uncounted)
    }
}

pub(super) struct Stream<'a> {
    merge: Merge,
    shown: Shown<'a>,
}

/// Everything behind the merge.
struct Shown<'a> {
    decoder: Decoder,
    filter: HostFilter,
    names: LiveNames<'a>,
    symbols: Option<Symbols>,
    sink: &'a mut dyn Sink,
    counts: Counts,
}

impl<'a> Stream<'a> {
    pub(super) fn new(tracefs: &'a Tracefs, reading: &Reading, sink: &'a mut dyn Sink) -> Self {
        let shown = Shown {
            decoder: Decoder::new(reading.formats.clone()),
            filter: HostFilter::new(reading),
            names: LiveNames::new(tracefs),
            symbols: None,
            sink,
            counts: Counts::default(),
        };
        Stream { merge: Merge::new([]), shown }
    }

    /// Makes ready for the CPUs of a ring.
    pub(super) fn attach(&mut self, ring: &Ring) {
        self.merge = Merge::new(ring.cpus());
    }

    /// Says which stacks the instance's options put behind each record.
    pub(super) fn set_stacks(&mut self, stacks: Stacks) {
        self.shown.filter.set_stacks(stacks);
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.shown.counts
    }

    /// Records that the host's conditions have dropped; `None` if it has none.
    pub(super) fn dropped(&self) -> Option<u64> {
        let filter = &self.shown.filter;
        (!filter.is_empty()).then(|| filter.dropped())
    }

    /// Whether records wait for another pass.
    pub(super) fn holds_any(&self) -> bool {
        self.merge.holds_any()
    }

    /// Reads the ring once and shows what is due. Returns whether the next pass must not wait.
    pub(super) fn pass(&mut self, ring: &mut Ring) -> Result<bool, StreamError> {
        let hurry = ring.drain(&mut self.merge)?;
        self.shown.names.begin_batch();
        let Stream { merge, shown } = self;
        merge.end_pass(|due| shown.show(due))?;
        Ok(hurry)
    }

    /// Passes on what the sink kept.
    pub(super) fn flush(&mut self) -> Result<(), SinkError> {
        self.shown.sink.flush()
    }

    /// Reads all that is left in a ring that is switched off. Nothing is shown yet: the kernel's state can be put back
    /// first, however slow the output is.
    pub(super) fn drain(&mut self, ring: &mut Ring) -> Result<(), RingError> {
        // A pass reads a ring's worth of each CPU. The page that the reader holds comes on top of that.
        for _ in 0..2 {
            ring.drain(&mut self.merge)?;
            if self.merge.all_drained() {
                break;
            }
        }
        Ok(())
    }

    /// Shows everything that is left, and losses that no page told of. `lost` is what each CPU counted.
    pub(super) fn finish(&mut self, lost: &[(u32, u64)]) -> Result<(), StreamError> {
        let Stream { merge, shown } = self;
        (0..merge.lanes()).for_each(|lane| merge.set_drained(lane, true));
        shown.names.begin_batch();
        merge.release_ready(|due| shown.show(due))?;
        for (cpu, loss) in merge.trailing_losses() {
            shown.tell_lost(cpu, loss)?;
        }
        for &(cpu, total) in lost {
            let told = shown.counts.lost.get(&cpu).copied().unwrap_or(0);
            if let Some(untold) = total.checked_sub(told).filter(|untold| *untold > 0) {
                shown.tell_lost(cpu, Lost::Count(untold))?;
            }
        }
        Ok(shown.sink.finish()?)
    }

    /// The losses of each CPU that had some: what it counted, or what its pages told if that is more.
    pub(super) fn losses(&self, counted: &[(u32, u64)]) -> Vec<(u32, u64)> {
        let mut losses: BTreeMap<u32, u64> = counted.iter().copied().collect();
        for (&cpu, &told) in &self.shown.counts.lost {
            let loss = losses.entry(cpu).or_default();
            *loss = told.max(*loss);
        }
        losses.into_iter().filter(|(_, loss)| *loss > 0).collect()
    }
}

impl Shown<'_> {
    fn show(&mut self, due: Due<'_>) -> Result<(), StreamError> {
        // A sink that stalls at the loss has kept it, and the record must follow.
        let told = self.tell_lost(due.cpu, due.lost);
        match told {
            Ok(()) | Err(StreamError::Sink(SinkError::Stalled)) => self.show_record(due).and(told),
            Err(_) => told,
        }
    }

    fn tell_lost(&mut self, cpu: u32, lost: Lost) -> Result<(), StreamError> {
        if lost != Lost::None {
            self.filter.lost(cpu);
        }
        match lost {
            Lost::None => return Ok(()),
            Lost::Unknown => self.counts.uncounted += 1,
            Lost::Count(count) => {
                let total = self.counts.lost.entry(cpu).or_default();
                *total = total.saturating_add(count);
            }
        }
        Ok(self.sink.lost(cpu, lost)?)
    }

    fn show_record(&mut self, due: Due<'_>) -> Result<(), StreamError> {
        let Due { timestamp, cpu, data, .. } = due;
        let Ok(record) = self.decoder.record(data) else {
            self.counts.unknown += 1;
            return Ok(());
        };
        // Before anything is made of it: most records may end here.
        if !self.filter.keeps(&record, cpu) {
            return Ok(());
        }
        let comm = self.names.get(record.common_pid()).map_err(StreamError::Names)?;
        let frames = frames(&record, || self.symbols.get_or_insert_with(Symbols::live));
        self.counts.records += 1;
        let stack = frames.as_deref();
        Ok(self.sink.record(&Event { timestamp, cpu, comm, record: &record, stack })?)
    }
}

/// The frames of a stack record. The symbols are asked for only if it is one: the first time that takes some
/// milliseconds.
fn frames<'s>(record: &Record<'_>, symbols: impl FnOnce() -> &'s mut Symbols) -> Option<Vec<Frame<'s>>> {
    let addresses = record.stack()?;
    let symbols: &'s Symbols = symbols();
    Some(addresses.map(|address| symbols.frame(address)).collect())
}
