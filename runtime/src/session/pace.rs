//! The wait between two passes over the rings.

use std::time::{Duration, Instant};

use crate::record::ring::Fill;

/// The wait between two batches of records, unless so many come that waiting could lose some. One wake-up then serves
/// many records: a tracer that is woken by every record slows down the system that it traces. The wait delays output
/// only. Causes of an end are waited for at the same time (`Wakeups::wait`) and are not delayed.
const BATCH: Duration = Duration::from_millis(4);
/// The wait before it is known how fast the rings fill, and the shortest one. A system call in a loop fills a ring of the
/// kernel's default size in 6 ms, so that a late wake-up still comes in time.
const SHORT_BATCH: Duration = Duration::from_micros(500);

/// How full the fullest ring is to be when it is read. Each pass ends with pages that are not full, and wakes the thread
/// that writes: shorter waits cost more for each record.
const WANTED: Fill = Fill::of(1, 8);

/// How full a ring is that is read again at once: waiting could lose records.
const URGENT: Fill = Fill::of(1, 4);

/// The times of the passes.
#[derive(Debug)]
pub(super) struct Pace {
    /// The wait before the next pass, if the rings fill slowly.
    wait: Duration,
    /// When the last pass began.
    begun: Instant,
}

impl Pace {
    /// Begins with the shortest wait.
    pub(super) fn new() -> Self {
        Pace { wait: SHORT_BATCH, begun: Instant::now() }
    }

    /// Takes note of a pass that begins. Returns the time since the one before it.
    pub(super) fn begin(&mut self) -> Duration {
        let before = std::mem::replace(&mut self.begun, Instant::now());
        self.begun.saturating_duration_since(before)
    }

    /// Returns the wait behind a pass, by how full the rings were and how long they had filled. `None` if the pass found
    /// nothing: the next record ends the wait.
    pub(super) fn next(&mut self, fill: Fill, filled_for: Duration, is_idle: bool) -> Option<Duration> {
        let wait =
            if fill > URGENT { Duration::ZERO } else { self.wait.min(fill.time_until(WANTED, filled_for)) };
        let longer = (wait * 2).clamp(SHORT_BATCH, BATCH);
        self.wait = if is_idle { SHORT_BATCH } else { longer };
        (!is_idle).then_some(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn waits(pace: &mut Pace, fill: Fill, filled_for: Duration) -> [Option<Duration>; 5] {
        [(); 5].map(|()| pace.next(fill, filled_for, false))
    }

    #[test]
    fn slow_records_are_read_at_longer_and_longer_intervals() {
        let mut pace = Pace::new();
        let slow = waits(&mut pace, Fill::of(1, 1000), 4 * MS);
        assert_eq!(slow, [SHORT_BATCH, MS, 2 * MS, BATCH, BATCH].map(Some));
        assert_eq!(pace.next(Fill::of(0, 1), 4 * MS, true), None);
        assert_eq!(pace.next(Fill::of(1, 1000), MS, false), Some(SHORT_BATCH));
    }

    #[test]
    fn fast_records_are_read_when_an_eighth_of_the_ring_is_full() {
        let mut pace = Pace::new();
        assert_eq!(waits(&mut pace, Fill::of(1, 16), MS)[4], Some(2 * MS));
        assert_eq!(pace.next(Fill::of(1, 8), 2 * MS, false), Some(2 * MS));
        // It came late.
        assert_eq!(pace.next(Fill::of(3, 16), 3 * MS, false), Some(2 * MS));
        assert_eq!(pace.next(Fill::of(1, 2), 8 * MS, false), Some(Duration::ZERO));
        assert_eq!(pace.next(Fill::of(1, 8), 2 * MS, false), Some(SHORT_BATCH));
    }
}
