//! The path of a record: the pages of a source are filtered, their records are merged by time, decoded, named and
//! written.
//!
//! A live session and a recording use the same pipeline. They differ in the source and in the origin of [`Names`]. A
//! [`Ring`](super::ring::Ring) is still written to while it is read: its pages are pushed into a [`Merge`]. The
//! [`Pages`](super::trace_dat::Pages) of a recording are all there, and are merged where they are.

use std::collections::BTreeMap;
use std::io;
use std::ops::DerefMut;

use rustc_hash::FxHashMap;
use tracec_kernel::page::Lost;
use tracec_kernel::record::Decoder;
use tracec_kernel::shown::Blanks;
use tracec_kernel::text::{Environment, Style};

use super::children::Children;
use super::environment::Kernel;
use super::losses::Losses;
use super::merge::{Due, Merge};
use super::names::Names;
use super::pass::Pass;
use super::texts::Texts;
use crate::sink::{BufferOverview, Event, Frame, Overview, Printed, Ring, Sink, SinkError, Timestamps};

/// The counts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// Records given to the sink.
    pub(crate) records: u64,
    /// Records that the merge has released.
    pub(crate) released: u64,
    /// Records without a layout.
    pub(crate) unknown: u64,
    /// What the pages say was lost.
    lost: FxHashMap<Ring, Losses>,
}

impl Counts {
    /// Counts a loss of a ring.
    pub(crate) fn lose(&mut self, ring: Ring, lost: Lost) {
        if lost != Lost::None {
            self.lost.entry(ring).or_default().add(lost);
        }
    }

    /// Takes note of how many records some rings have lost as these counted them.
    pub(crate) fn state(&mut self, stated: impl IntoIterator<Item = (Ring, u64)>) {
        for (ring, all) in stated {
            self.lost.get_mut(&ring).into_iter().for_each(|losses| losses.state(all));
        }
    }

    /// Returns what the pages of a ring say was lost.
    pub(crate) fn lost_of(&self, ring: Ring) -> Losses {
        self.lost.get(&ring).copied().unwrap_or_default()
    }

    /// Counts and writes a loss.
    fn write_loss<S: Sink + ?Sized>(
        &mut self,
        ring: Ring,
        lost: Lost,
        sink: &mut S,
    ) -> Result<(), SinkError> {
        if lost == Lost::None {
            return Ok(());
        }
        self.lose(ring, lost);
        sink.lost(ring, lost)
    }

    /// Returns the number of lost records that the pages counted.
    pub(crate) fn counted_lost(&self) -> u64 {
        self.lost.values().fold(0, |sum, lost| sum.saturating_add(lost.counted))
    }

    /// Returns the number of losses whose size is unknown.
    pub(crate) fn uncounted(&self) -> u64 {
        self.lost.values().map(|lost| lost.uncounted).sum()
    }

    /// Returns the least number of records that were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.counted_lost().saturating_add(self.uncounted())
    }

    /// Returns the losses of each CPU that had some: the larger of `counted`, which its ring counted, and the number in
    /// its pages.
    pub(crate) fn losses(&self, counted: &[(u32, u64)]) -> Vec<(u32, u64)> {
        let mut losses: BTreeMap<u32, u64> = counted.iter().copied().collect();
        for (ring, reported) in &self.lost {
            let loss = losses.entry(ring.cpu).or_default();
            *loss = reported.counted.max(*loss);
        }
        losses.into_iter().filter(|(_, loss)| *loss > 0).collect()
    }
}

/// What makes an event of the bytes of a record: the layouts, names and texts of one kernel.
pub(crate) struct Interpreter<'n> {
    decoder: Decoder,
    names: Names,
    kernel: Kernel<'n>,
    texts: Texts,
    /// Whether the sink needs texts, and in which style; not known before the first record.
    style: Option<Option<Style>>,
    blanks: Blanks,
    /// A record of which a part is not shown.
    blanked: Vec<u8>,
    /// What leaves out the records of children of a scope's processes.
    children: Option<Children>,
}

impl<'n> Interpreter<'n> {
    pub(crate) fn new(decoder: Decoder, names: Names, kernel: Kernel<'n>) -> Self {
        let (texts, blanks) = (Texts::default(), Blanks::default());
        Interpreter {
            decoder,
            names,
            kernel,
            texts,
            style: None,
            blanks,
            blanked: Vec::new(),
            children: None,
        }
    }

    /// Shows records without what a session leaves out or blanks. The layouts of the decoder are those that are shown.
    pub(crate) fn with_blanks(self, blanks: Blanks) -> Self {
        Interpreter { blanks, ..self }
    }

    /// Takes the error of a recording whose symbols or types could not be read, so that they were shown as unknown.
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.kernel.take_failure()
    }

    /// Writes a record or a loss.
    pub(crate) fn write<S: Sink + ?Sized>(
        &mut self,
        due: Due<'_>,
        sink: &mut S,
        counts: &mut Counts,
    ) -> Result<(), SinkError> {
        match due {
            Due::Lost { ring, lost } => counts.write_loss(ring, lost, sink),
            Due::Record { ring, timestamp, data } => {
                counts.released += 1;
                self.record((ring, timestamp, data), sink, counts)
            }
        }
    }

    fn record<S: Sink + ?Sized>(
        &mut self,
        (ring, timestamp, data): (Ring, u64, &[u8]),
        sink: &mut S,
        counts: &mut Counts,
    ) -> Result<(), SinkError> {
        let data = self.blanks.shown(data, &mut self.blanked);
        let Ok(record) = self.decoder.record(data) else {
            counts.unknown += 1;
            return Ok(());
        };
        if let Some(children) = &mut self.children
            && !children.keeps(ring.cpu, &record)
        {
            return Ok(());
        }
        let frames: Option<Vec<Frame<'_>>> = record.stack().map(|addresses| {
            let symbols = self.kernel.symbols();
            addresses.map(|address| symbols.frame(address)).collect()
        });
        let style = *self.style.get_or_insert_with(|| sink.needs_text().then(|| sink.style()));
        let text = match style {
            Some(style) => {
                let format = record.format;
                let kernel = (&self.kernel as &dyn Environment, style);
                self.texts.of(format, kernel, |error| sink.without_text(format, error))?
            }
            None => None,
        };
        let text = text.map(|text| Printed::new(text, data, &self.kernel));
        let comm = self.names.comm(record.common_pid());
        counts.records += 1;
        let stack = frames.as_deref();
        let Ring { buffer, cpu } = ring;
        sink.record(&Event { timestamp, buffer, cpu, comm, record: &record, text, stack })
    }
}

/// The stages after a merge, whose last is a sink that the pipeline borrows or owns.
pub(crate) struct Pipeline<'n, S> {
    interpreter: Interpreter<'n>,
    pub(crate) sink: S,
    pub(crate) counts: Counts,
}

impl<'n, S: DerefMut<Target: Sink>> Pipeline<'n, S> {
    pub(crate) fn new(decoder: Decoder, names: Names, kernel: Kernel<'n>, sink: S) -> Self {
        Pipeline { interpreter: Interpreter::new(decoder, names, kernel), sink, counts: Counts::default() }
    }

    /// Shows records without what a session leaves out or blanks.
    pub(crate) fn with_blanks(self, blanks: Blanks) -> Self {
        Pipeline { interpreter: self.interpreter.with_blanks(blanks), ..self }
    }

    /// Leaves out the records of children of a scope's processes.
    pub(crate) fn without(self, children: Option<Children>) -> Self {
        Pipeline { interpreter: Interpreter { children, ..self.interpreter }, ..self }
    }

    /// Says what is known of the only buffer of a session.
    pub(crate) fn begin(&mut self, clock: &str, cpus: usize) -> Result<(), SinkError> {
        let buffer = BufferOverview {
            clock: clock.to_owned(),
            timestamps: Timestamps::of_clock(clock),
            ..BufferOverview::default()
        };
        let cpus = u32::try_from(cpus).unwrap_or(u32::MAX);
        self.sink.begin(&Overview { cpus, buffers: vec![buffer], stated: None })
    }

    /// As [`Interpreter::take_failure`].
    pub(crate) fn take_failure(&mut self) -> Option<io::Error> {
        self.interpreter.take_failure()
    }

    /// Takes the names that a pass knows.
    pub(crate) fn learn(&mut self, pass: &Pass) {
        self.interpreter.names.learn(pass.names());
    }

    /// Ends a pass over buffers that are still written to, and writes the records that are due.
    pub(crate) fn end_pass(&mut self, merge: &mut Merge) -> Result<(), SinkError> {
        self.interpreter.names.begin_batch();
        merge.end_pass(|due| self.write(due))
    }

    /// Writes the records that a merge still holds, and the losses that the pages did not report. `lost` is the count
    /// of each CPU's ring.
    pub(crate) fn finish(&mut self, merge: &mut Merge, lost: &[(u32, u64)]) -> Result<(), SinkError> {
        self.interpreter.names.begin_batch();
        merge.release_all(|due| self.write(due))?;
        for &(cpu, total) in lost {
            let ring = Ring { buffer: 0, cpu };
            let reported = self.counts.lost_of(ring).counted;
            if let Some(unreported) = total.checked_sub(reported).filter(|unreported| *unreported > 0) {
                self.counts.write_loss(ring, Lost::Count(unreported), &mut *self.sink)?;
            }
        }
        self.sink.finish()
    }

    /// Writes a record or a loss.
    pub(crate) fn write(&mut self, due: Due<'_>) -> Result<(), SinkError> {
        self.interpreter.write(due, &mut *self.sink, &mut self.counts)
    }
}
