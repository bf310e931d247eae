//! Losses that are shown in front of the next record of their ring, as the kernel and trace-cmd show them.

use rustc_hash::FxHashMap;
use tracec_kernel::page::Lost;

use super::super::Ring;

/// The losses that no record has followed yet.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pending: FxHashMap<Ring, Lost>,
}

impl Losses {
    /// Notes a loss behind those of its ring.
    pub(super) fn note(&mut self, ring: Ring, lost: Lost) {
        if lost == Lost::None {
            return;
        }
        let pending = self.pending.entry(ring).or_insert(Lost::None);
        *pending = match (*pending, lost) {
            (Lost::None, lost) => lost,
            (Lost::Count(before), Lost::Count(count)) => Lost::Count(before.saturating_add(count)),
            _ => Lost::Unknown,
        };
    }

    /// Takes the loss before a record.
    pub(super) fn take(&mut self, ring: Ring) -> Option<Lost> {
        if self.pending.is_empty() { None } else { self.pending.remove(&ring) }
    }

    /// Takes all that are left, in the order of their rings.
    pub(super) fn take_all(&mut self) -> Vec<(Ring, Lost)> {
        let mut left: Vec<(Ring, Lost)> = self.pending.drain().collect();
        left.sort_unstable_by_key(|(ring, _)| *ring);
        left
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_of_a_ring_are_added_up_to_its_next_record() {
        let mut losses = Losses::default();
        let (first, second) = (Ring { buffer: 0, cpu: 1 }, Ring { buffer: 1, cpu: 1 });
        losses.note(first, Lost::Count(2));
        losses.note(first, Lost::None);
        losses.note(first, Lost::Count(3));
        losses.note(second, Lost::Count(1));
        losses.note(second, Lost::Unknown);
        assert_eq!(losses.take(first), Some(Lost::Count(5)));
        assert_eq!(losses.take(first), None);
        losses.note(first, Lost::Count(7));
        assert_eq!(losses.take_all(), [(first, Lost::Count(7)), (second, Lost::Unknown)]);
        assert_eq!(losses.take_all(), []);
    }
}
