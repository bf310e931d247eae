//! The progress of a session's output, and its end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tracec_kernel::format::EventFormat;
use tracec_kernel::page::Lost;
use tracec_kernel::text::{Style, TextError};

use super::{Event, Overview, Ring, Sink, SinkError};

/// What a session knows of an output that another thread writes to.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    steps: AtomicU64,
    is_left: AtomicBool,
}

impl Progress {
    /// Notes that the output has taken something.
    pub(crate) fn step(&self) {
        self.steps.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of steps so far. An output that has stalled makes none.
    pub(crate) fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// Leaves the output: nothing more is to be written to it. A call that has begun is not interrupted.
    pub(crate) fn leave(&self) {
        self.is_left.store(true, Ordering::Release);
    }

    pub(crate) fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Acquire)
    }
}

/// A sink whose records are steps, and which gets none once it was left. An output that continues after the session has
/// reported what was not written must not write that after all.
pub(crate) struct Watched {
    pub(crate) sink: Box<dyn Sink>,
    pub(crate) progress: Arc<Progress>,
}

impl Watched {
    fn call(&mut self, call: impl FnOnce(&mut dyn Sink) -> Result<(), SinkError>) -> Result<(), SinkError> {
        if self.progress.is_left() {
            return Err(SinkError::Closed);
        }
        call(&mut *self.sink)?;
        self.progress.step();
        Ok(())
    }
}

impl Sink for Watched {
    fn record(&mut self, event: &Event<'_>) -> Result<(), SinkError> {
        self.call(|sink| sink.record(event))
    }

    fn needs_text(&self) -> bool {
        self.sink.needs_text()
    }

    fn without_text(&mut self, event: &EventFormat, reason: &TextError) -> Result<(), SinkError> {
        self.call(|sink| sink.without_text(event, reason))
    }

    fn style(&self) -> Style {
        self.sink.style()
    }

    fn begin(&mut self, overview: &Overview) -> Result<(), SinkError> {
        self.call(|sink| sink.begin(overview))
    }

    fn lost(&mut self, ring: Ring, lost: Lost) -> Result<(), SinkError> {
        self.call(|sink| sink.lost(ring, lost))
    }

    fn flush(&mut self) -> Result<(), SinkError> {
        self.call(|sink| sink.flush())
    }

    fn finish(&mut self) -> Result<(), SinkError> {
        self.call(|sink| sink.finish())
    }
}
