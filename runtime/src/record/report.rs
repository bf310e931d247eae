//! The output of a recorded trace through a sink.

use std::fs::File;
use std::io::{Read, Seek};

use tracec_kernel::record::Decoder;
use tracec_kernel::shown::{Blanks, ShownEvent, layouts_shown};

use super::host::{Dropped, HostFilter};
use super::lanes::{self, LaneSource, with_lanes};
use super::pipeline::{Counts, Interpreter, Pipeline};
use super::trace_dat::{Damage, TraceDat};
use crate::sink::{Overview, Ring, Sink, SinkError};

/// The counts of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records given to the sink.
    pub records: u64,
    /// Records without a known layout.
    pub unknown: u64,
    /// Lost records that were counted.
    pub lost: u64,
    /// Losses of which neither the pages nor the file say how many records they were.
    pub uncounted: u64,
    /// Records that the host's conditions have dropped, without stacks, and those outside of the period; `None` if nothing
    /// could be dropped.
    pub dropped: Option<u64>,
    /// Stacks that were dropped with the records that they belong to.
    pub stacks: u64,
}

/// The reason why a recorded trace could not be written to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// Some places of the files cannot be read. All else was written.
    #[error("{damage}")]
    Damaged {
        /// The counts of what was written.
        report: Report,
        /// The places.
        damage: Box<Damage>,
    },
    /// Several files have more CPUs than can be merged.
    #[error("the recordings have {lanes} CPUs, and at most {most} are merged", most = lanes::MOST_LANES)]
    TooManyCpus {
        /// How many.
        lanes: usize,
    },
    /// The sink failed. [`SinkError::Closed`] is usually not a failure.
    #[error(transparent)]
    Sink(#[from] SinkError),
}

/// Writes all records of all buffers of a file in the order of time. A damaged page costs what is behind the damage in it.
///
/// # Errors
/// [`ReportError`]; of [damage](ReportError::Damaged) all other records have been written.
pub fn report<R: Read + Seek>(file: &mut TraceDat<R>, sink: &mut dyn Sink) -> Result<Report, ReportError> {
    report_if(file, HostFilter::default(), sink)
}

/// Writes the records that a filter of the file's pages keeps, as [`report`] does.
///
/// # Errors
/// As [`report`].
pub fn report_if<R: Read + Seek>(
    file: &mut TraceDat<R>,
    filter: HostFilter,
    sink: &mut dyn Sink,
) -> Result<Report, ReportError> {
    report_as(file, filter, &[], sink)
}

/// Writes what is shown of the records that a filter of the file's pages keeps.
fn report_as<R: Read + Seek>(
    file: &mut TraceDat<R>,
    mut filter: HostFilter,
    shown: &[ShownEvent],
    sink: &mut dyn Sink,
) -> Result<Report, ReportError> {
    sink.begin(&file.overview())?;
    let decoder = Decoder::for_layout(layouts_shown(&file.formats, shown), &file.layout);
    let blanks = Blanks::new(shown, &file.formats, &file.layout);
    let (stated, wrong) = (file.stated_losses(), file.take_damage());
    let (mut pages, names, kernel) = file.source();
    let mut pipeline = Pipeline::new(decoder, names, kernel, sink).with_blanks(blanks);
    let mut damage = Damage::default();
    wrong.into_iter().for_each(|error| damage.add(0, error));
    loop {
        match pages.next(&mut filter) {
            Ok(Some(due)) => pipeline.write(due)?,
            Ok(None) => break,
            Err(error) => damage.add(0, error),
        }
    }
    pipeline.sink.finish()?;
    // What is damaged was not lost by a ring.
    if damage.is_empty() {
        pipeline.counts.state(stated);
    }
    if let Some(error) = pipeline.take_failure() {
        damage.add(0, error.into());
    }
    Report::of(&pipeline.counts, filter.dropped(), pages.outside()).with(damage)
}

/// One of the recordings of a report.
#[derive(Debug)]
pub struct Reported<'f> {
    /// Its name, which marks its buffers where there are several recordings.
    pub name: String,
    /// The file.
    pub file: &'f mut TraceDat<File>,
    /// The filter of its records.
    pub filter: HostFilter,
    /// What is shown of the records of some events.
    pub shown: Vec<ShownEvent>,
}

impl Reported<'_> {
    fn lane_source(&self) -> LaneSource<'_> {
        LaneSource { file: self.file, filter: &self.filter }
    }

    fn interpreter(&self) -> Interpreter<'_> {
        let (names, kernel) = self.file.machine();
        let (formats, layout) = (&self.file.formats, &self.file.layout);
        let decoder = Decoder::for_layout(layouts_shown(formats, &self.shown), layout);
        Interpreter::new(decoder, names, kernel).with_blanks(Blanks::new(&self.shown, formats, layout))
    }
}

/// Writes the records of recordings that their filters keep, merged by time: the pages of CPUs are read in this many
/// threads. The time stamps of several recordings must be of one clock.
///
/// Where there are several, the buffers in the [`Overview`] are named after their file: `FILE`, `FILE:BUFFER`.
///
/// # Errors
/// As [`report`].
pub fn report_all(
    recordings: &mut [Reported<'_>],
    threads: usize,
    sink: &mut dyn Sink,
) -> Result<Report, ReportError> {
    let lanes = lanes::count(recordings.iter().map(|recording| &*recording.file));
    if let [Reported { file, filter, shown, .. }] = recordings
        && (threads < 2 || !(1..=lanes::MOST_IN_THREADS).contains(&lanes))
    {
        return report_as(file, std::mem::take(filter), shown, sink);
    }
    if lanes > lanes::MOST_LANES {
        return Err(ReportError::TooManyCpus { lanes });
    }
    sink.begin(&overview(recordings))?;
    let mut counts = Counts::default();
    let mut damage = Damage::default();
    for (index, recording) in recordings.iter_mut().enumerate() {
        recording.file.take_damage().into_iter().for_each(|error| damage.add(index, error));
    }
    let recordings = &*recordings;
    let sources: Vec<LaneSource<'_>> = recordings.iter().map(Reported::lane_source).collect();
    let mut interpreters: Vec<Interpreter<'_>> = recordings.iter().map(Reported::interpreter).collect();
    with_lanes(&sources, threads, false, |lanes| {
        loop {
            match lanes.next() {
                Ok(Some((file, due))) => {
                    if let Some(interpreter) = interpreters.get_mut(file) {
                        interpreter.write(due, &mut *sink, &mut counts)?;
                    }
                }
                Ok(None) => break,
                Err((index, error)) => damage.add(index, error),
            }
        }
        sink.finish()?;
        let mut first = 0;
        for source in sources.iter().filter(|_| damage.is_empty()) {
            let stated = source.file.stated_losses().into_iter();
            counts.state(stated.map(|(ring, all)| (Ring { buffer: first + ring.buffer, ..ring }, all)));
            first += source.file.buffers.len() as u32;
        }
        for (index, interpreter) in interpreters.iter_mut().enumerate() {
            interpreter.take_failure().into_iter().for_each(|error| damage.add(index, error.into()));
        }
        let (mut dropped, mut outside) = (None, 0);
        for (index, source) in sources.iter().enumerate() {
            let (of_file, outside_of_file) = lanes.dropped(index);
            outside += outside_of_file;
            if !source.filter.keeps_all() {
                let all: &mut Dropped = dropped.get_or_insert_default();
                all.all += of_file.all;
                all.stacks += of_file.stacks;
            }
        }
        Report::of(&counts, dropped, outside).with(damage)
    })
}

/// Returns what is known of several recordings: their buffers, named after their files.
fn overview(recordings: &[Reported<'_>]) -> Overview {
    let mut of_files = recordings.iter().map(|recording| (&recording.name, recording.file.overview()));
    let Some((first, mut all)) = of_files.next() else { return Overview::default() };
    if recordings.len() == 1 {
        return all;
    }
    let mark = |overview: &mut Overview, name: &str| {
        for buffer in &mut overview.buffers {
            buffer.file = Some(name.to_owned());
            buffer.name = match buffer.name.as_str() {
                "" => name.to_owned(),
                instance => format!("{name}:{instance}"),
            };
        }
    };
    mark(&mut all, first);
    for (name, mut other) in of_files {
        mark(&mut other, name);
        all.cpus = all.cpus.max(other.cpus);
        all.buffers.append(&mut other.buffers);
        all.stated = all.stated.or(other.stated);
    }
    all
}

impl Report {
    /// Returns it, as an error if there is damage.
    fn with(self, damage: Damage) -> Result<Self, ReportError> {
        if damage.is_empty() {
            Ok(self)
        } else {
            Err(ReportError::Damaged { report: self, damage: damage.into() })
        }
    }

    pub(super) fn of(counts: &Counts, dropped: Option<Dropped>, outside: u64) -> Self {
        Report {
            records: counts.records,
            unknown: counts.unknown,
            lost: counts.counted_lost(),
            uncounted: counts.uncounted(),
            dropped: match (dropped.map(Dropped::records), outside) {
                (None, 0) => None,
                (dropped, outside) => Some(dropped.unwrap_or(0) + outside),
            },
            stacks: dropped.map_or(0, |dropped| dropped.stacks),
        }
    }
}
