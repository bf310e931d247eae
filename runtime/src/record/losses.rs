//! How many records a ring has lost, as its pages say and as it counted itself.

use tracec_kernel::page::Lost;

/// The records that a ring has lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// Those that were counted.
    pub counted: u64,
    /// The number of losses whose size is unknown: a full page has no room for it.
    pub uncounted: u64,
}

impl Losses {
    /// Adds what a page says.
    pub fn add(&mut self, lost: Lost) {
        match lost {
            Lost::None => {}
            Lost::Unknown => self.uncounted += 1,
            Lost::Count(count) => self.counted = self.counted.saturating_add(count),
        }
    }

    /// Takes note of how many records the ring itself counted. That is the number of those whose pages do not say one, unless
    /// it is less than they say: then the ring began to count later. Where each page has its number, these are right: a ring
    /// also counts what it has overwritten before it was recorded.
    pub fn state(&mut self, all: u64) {
        if self.uncounted > 0 && all >= self.counted.saturating_add(self.uncounted) {
            *self = Losses { counted: all, uncounted: 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_of_the_ring_takes_the_place_of_one_that_is_unknown() {
        let of = |marks: &[Lost], all| {
            let mut losses = Losses::default();
            marks.iter().for_each(|lost| losses.add(*lost));
            losses.state(all);
            (losses.counted, losses.uncounted)
        };
        assert_eq!(of(&[Lost::Unknown, Lost::Count(7), Lost::None], 100), (100, 0));
        assert_eq!(of(&[Lost::Unknown, Lost::Count(7)], 7), (7, 1));
        assert_eq!(of(&[Lost::Count(7)], 100), (7, 0));
        assert_eq!(of(&[], 100), (0, 0));
        assert_eq!(of(&[Lost::Unknown, Lost::Count(u64::MAX)], u64::MAX), (u64::MAX, 0));
    }
}
