//! The period of a live session whose records are kept: other CPUs may record past the event that ends it.

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The times between which records are kept, by the clock of the session. They may be set while records are read.
#[derive(Clone, Debug)]
pub(crate) struct Period {
    first: Arc<AtomicU64>,
    last: Arc<AtomicU64>,
}

/// All times.
impl Default for Period {
    fn default() -> Self {
        Period { first: Arc::default(), last: Arc::new(AtomicU64::new(u64::MAX)) }
    }
}

impl Period {
    /// Leaves out what is recorded after a time. The earliest that is set counts.
    pub(crate) fn end(&self, last: u64) {
        self.last.fetch_min(last, Ordering::AcqRel);
    }

    /// Leaves out what was recorded before a time.
    pub(crate) fn begin(&self, first: u64) {
        self.first.fetch_max(first, Ordering::AcqRel);
    }

    /// Returns the last time that is set.
    pub(crate) fn last(&self) -> Option<u64> {
        Some(self.last.load(Ordering::Acquire)).filter(|last| *last != u64::MAX)
    }

    /// Returns the times whose records are kept; `None` while all are.
    pub(crate) fn bounds(&self) -> Option<RangeInclusive<u64>> {
        let (first, last) = (self.first.load(Ordering::Acquire), self.last.load(Ordering::Acquire));
        ((first, last) != (0, u64::MAX)).then_some(first..=last)
    }
}
