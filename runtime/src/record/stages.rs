//! What the passes of a live session go through, in the thread that renders: records through a sink, or pages into a file.

use std::sync::Arc;

use rustix::fd::OwnedFd;
use tracec_kernel::page::{PageError, PageLayout};
use tracec_kernel::plan::Reading;
use tracec_kernel::record::Decoder;
use tracec_kernel::shown::{Blanks, layouts_shown};

use super::children::Children;
use super::environment::Kernel;
use super::facts::Facts;
use super::host::HostFilter;
use super::merge::Merge;
use super::names::Names;
use super::pass::Pass;
use super::pipeline::{Counts, Pipeline};
use super::recorder::{RecordError, Recorder, RingEnd};
use crate::sink::progress::{Progress, Watched};
use crate::sink::rotation::{FileCounts, Files};
use crate::sink::{Sink, SinkError};

/// The reason why a session's records cannot be written.
#[derive(Debug)]
pub(crate) enum RenderError {
    Sink(SinkError),
    Page(u32, PageError),
}

impl From<RecordError> for RenderError {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Page(cpu, source) => RenderError::Page(cpu, source),
            RecordError::Sink(source) => RenderError::Sink(source),
        }
    }
}

/// The stages that a pass goes through.
pub(crate) struct Stages {
    /// The layout of its pages.
    pub(crate) layout: PageLayout,
    /// The clock of its records.
    pub(crate) clock: String,
    /// The number of CPUs that have rings.
    pub(crate) cpus: usize,
    pub(crate) filter: HostFilter,
    pub(crate) last: LastStages,
    /// The files of an output that is rotated.
    pub(crate) files: Option<Files>,
}

/// The stages behind the filter.
pub(crate) enum LastStages {
    /// Records are merged by time and written one by one.
    Records { merge: Merge, pipeline: Box<Pipeline<'static, Box<Watched>>> },
    /// Pages are written.
    Pages(Box<Recorder>),
}

/// What the stages behind the filter are made of, besides the output.
pub(crate) struct Making<'r> {
    pub(crate) reading: &'r Reading,
    pub(crate) layout: PageLayout,
    pub(crate) cpus: Vec<u32>,
    pub(crate) names: Names,
    pub(crate) kernel: Kernel<'static>,
    pub(crate) children: Option<Children>,
    pub(crate) progress: Arc<Progress>,
}

impl LastStages {
    /// Makes the stages that write records to a sink.
    pub(crate) fn of_records(sink: Box<dyn Sink>, making: Making<'_>) -> LastStages {
        let Making { reading, layout, cpus, names, kernel, children, progress } = making;
        let Reading { formats, shown, .. } = reading;
        let sink = Box::new(Watched { sink, progress });
        let pipeline = Pipeline::new(Decoder::new(layouts_shown(formats, shown)), names, kernel, sink)
            .with_blanks(Blanks::new(shown, formats, &layout))
            .without(children);
        LastStages::Records { merge: Merge::new(cpus), pipeline: Box::new(pipeline) }
    }

    /// Makes the stages that write pages to an empty file.
    pub(crate) fn of_pages(file: OwnedFd, facts: Facts, making: Making<'_>) -> LastStages {
        let Making { reading, layout, cpus, names, kernel: _, children: _, progress } = making;
        let recorder = Recorder::new(file, (reading, layout), cpus, (facts, names), progress);
        LastStages::Pages(Box::new(recorder))
    }
}

impl Stages {
    /// Begins the output.
    pub(crate) fn begin(&mut self) -> Result<(), RenderError> {
        match &mut self.last {
            LastStages::Records { pipeline, .. } => {
                pipeline.begin(&self.clock, self.cpus).map_err(RenderError::Sink)
            }
            LastStages::Pages(recorder) => recorder.begin().map_err(RenderError::Sink),
        }
    }

    /// Begins the next file of an output that is rotated, if the last one has its size.
    fn rotate(&mut self) -> Result<(), RenderError> {
        let Some(files) = &mut self.files else { return Ok(()) };
        let rotated = match &mut self.last {
            LastStages::Records { pipeline, .. } => files.size().map_err(SinkError::from).and_then(|size| {
                if !files.is_full(size) {
                    return Ok(());
                }
                pipeline.sink.finish()?;
                pipeline.sink.sink = files.next_sink()?;
                pipeline.begin(&self.clock, self.cpus)
            }),
            LastStages::Pages(recorder) if !files.is_full(recorder.size()) => Ok(()),
            LastStages::Pages(recorder) => {
                files.next().map_err(SinkError::from).and_then(|next| recorder.go_on_in(next))
            }
        };
        rotated.map_err(RenderError::Sink)
    }

    /// Adds a pass.
    pub(crate) fn take(&mut self, pass: &Pass) -> Result<(), RenderError> {
        if let LastStages::Records { merge, pipeline } = &mut self.last {
            pass.push_into(merge, &mut self.filter, &self.layout)
                .map_err(|(cpu, source)| RenderError::Page(cpu, source))?;
            pipeline.learn(pass);
        }
        Ok(())
    }

    /// Writes what is due after a pass, which another one follows at once or not.
    pub(crate) fn write(&mut self, pass: &Pass, is_followed: bool) -> Result<(), RenderError> {
        self.write_due(pass, is_followed)?;
        self.rotate()
    }

    fn write_due(&mut self, pass: &Pass, is_followed: bool) -> Result<(), RenderError> {
        match &mut self.last {
            LastStages::Records { merge, pipeline } => {
                // It is flushed also where another pass waits: only what is flushed counts as written.
                pipeline.end_pass(merge).and_then(|()| pipeline.sink.flush()).map_err(RenderError::Sink)
            }
            LastStages::Pages(recorder) => Ok(recorder.take(pass, &mut self.filter, is_followed)?),
        }
    }

    /// Ends the output.
    pub(crate) fn finish(&mut self, end: &RingEnd) -> Result<(), RenderError> {
        let finished = match &mut self.last {
            LastStages::Records { merge, pipeline } => pipeline.finish(merge, &end.lost),
            LastStages::Pages(recorder) => recorder.finish(end),
        };
        finished.map_err(RenderError::Sink)
    }

    /// Lets readers have what was written before an error.
    pub(crate) fn keep(&mut self) {
        match &mut self.last {
            // The first error is the reason.
            LastStages::Records { pipeline, .. } => drop(pipeline.sink.flush()),
            LastStages::Pages(recorder) => recorder.keep(),
        }
    }

    /// Returns the number of files that were begun, and of those that were removed, of an output that is rotated.
    pub(crate) fn files(&self) -> Option<FileCounts> {
        self.files.as_ref().map(Files::counts)
    }

    /// Returns what was written.
    pub(crate) fn counts(&self) -> &Counts {
        match &self.last {
            LastStages::Records { pipeline, .. } => &pipeline.counts,
            LastStages::Pages(recorder) => &recorder.counts,
        }
    }
}
