//! The output of a recorded trace through a sink.

use std::io::{Read, Seek};

use tracec_kernel::record::Decoder;

use super::host::{Dropped, HostFilter};
use super::pipeline::Pipeline;
use super::trace_dat::{TraceDat, TraceDatError};
use crate::sink::{Sink, SinkError};

/// The counts of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Records given to the sink.
    pub records: u64,
    /// Records without a known layout.
    pub unknown: u64,
    /// Lost records that the pages counted.
    pub lost: u64,
    /// Records that the host's conditions have dropped, without stacks, and those outside of the period; `None` if nothing
    /// could be dropped.
    pub dropped: Option<u64>,
    /// Stacks that were dropped with the records that they belong to.
    pub stacks: u64,
}

/// The reason why a recorded trace could not be written to its end.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] TraceDatError),
    /// The sink failed. [`SinkError::Closed`] is usually not a failure.
    #[error(transparent)]
    Sink(#[from] SinkError),
}

/// Writes all records of all buffers of a file in the order of time.
///
/// # Errors
/// [`ReportError`]; the records before the error have been written.
pub fn report<R: Read + Seek>(file: &mut TraceDat<R>, sink: &mut dyn Sink) -> Result<Report, ReportError> {
    report_if(file, HostFilter::default(), sink)
}

/// Writes the records that a filter of the file's pages keeps, as [`report`] does.
///
/// # Errors
/// As [`report`].
pub fn report_if<R: Read + Seek>(
    file: &mut TraceDat<R>,
    mut filter: HostFilter,
    sink: &mut dyn Sink,
) -> Result<Report, ReportError> {
    sink.begin(&file.overview())?;
    let decoder = Decoder::for_layout(file.formats.clone(), &file.layout);
    let (mut pages, names, kernel) = file.source();
    let mut pipeline = Pipeline::new(decoder, names, kernel, sink);
    loop {
        match pages.next(&mut filter) {
            Ok(Some(due)) => pipeline.write(due)?,
            Ok(None) => break,
            Err(error) => {
                pipeline.sink.flush()?;
                return Err(error.into());
            }
        }
    }
    pipeline.sink.finish()?;
    let (counts, dropped, outside) = (&pipeline.counts, filter.dropped(), pages.outside());
    Ok(Report {
        records: counts.records,
        unknown: counts.unknown,
        lost: counts.counted_lost(),
        dropped: match (dropped.map(Dropped::records), outside) {
            (None, 0) => None,
            (dropped, outside) => Some(dropped.unwrap_or(0) + outside),
        },
        stacks: dropped.map_or(0, |dropped| dropped.stacks),
    })
}
