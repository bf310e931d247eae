//! Sets of integers as ranges.

use std::fmt;

use serde::Serialize;

/// A set of integers: ranges that include both ends, ascending, with a gap between any two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize)]
pub struct Ranges(Vec<(i128, i128)>);

impl Ranges {
    /// Returns the set of all values in the given ranges, in any order; they may overlap. A range whose first value is
    /// above its last is empty.
    pub fn new(ranges: impl IntoIterator<Item = (i128, i128)>) -> Self {
        let mut ranges: Vec<(i128, i128)> =
            ranges.into_iter().filter(|(first, last)| first <= last).collect();
        if !ranges.is_sorted() {
            ranges.sort_unstable();
        }
        ranges.dedup_by(|(first, last), (_, end)| {
            let touch = *first <= end.saturating_add(1);
            if touch {
                *end = (*last).max(*end);
            }
            touch
        });
        Ranges(ranges)
    }

    /// Returns the ranges, ascending.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (i128, i128)> + DoubleEndedIterator {
        self.0.iter().copied()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a value is in the set.
    pub fn contains(&self, value: i128) -> bool {
        let after = self.0.partition_point(|(first, _)| *first <= value);
        self.0[..after].last().is_some_and(|(_, last)| value <= *last)
    }

    /// Returns the only value of a set with one value.
    pub fn single(&self) -> Option<i128> {
        match self.0[..] {
            [(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    /// Returns the intersection of both sets.
    pub fn intersection(&self, other: &Ranges) -> Ranges {
        let mut common = Vec::new();
        let (mut left, mut right) = (self.iter().peekable(), other.iter().peekable());
        while let (Some(&(a, b)), Some(&(c, d))) = (left.peek(), right.peek()) {
            if a.max(c) <= b.min(d) {
                common.push((a.max(c), b.min(d)));
            }
            if b < d {
                left.next();
            } else {
                right.next();
            }
        }
        Ranges(common)
    }

    /// Returns the set without the ranges for which `keep` is false.
    pub(crate) fn retain(mut self, keep: impl Fn((i128, i128)) -> bool) -> Ranges {
        self.0.retain(|range| keep(*range));
        self
    }

    /// Returns the union of both sets.
    pub fn union(&self, other: &Ranges) -> Ranges {
        Ranges::new(self.iter().chain(other.iter()))
    }

    /// Returns the values of `first..=last` that are not in the set.
    pub fn complement(&self, first: i128, last: i128) -> Ranges {
        let mut gaps = Vec::with_capacity(self.0.len() + 1);
        let mut next = first;
        for (start, end) in self.iter() {
            gaps.push((next, last.min(start.saturating_sub(1))));
            next = next.max(end.saturating_add(1));
        }
        gaps.push((next, last));
        Ranges::new(gaps)
    }
}

/// `{1, 2, 5..=9}`, as the language writes a set.
impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (index, (first, last)) in self.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            if first == last {
                write!(f, "{separator}{first}")?;
            } else {
                write!(f, "{separator}{first}..={last}")?;
            }
        }
        f.write_str("}")
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn ranges_merge_where_they_touch() {
        let set = Ranges::new([(5, 9), (1, 1), (2, 2), (8, 12), (20, 19)]);
        assert_eq!(set.iter().collect::<Vec<_>>(), [(1, 2), (5, 12)]);
        assert_eq!(set.to_string(), "{1..=2, 5..=12}");
    }

    #[test]
    fn sets_agree_with_their_values() {
        let all = -3..12;
        let given = [(-2, 1), (4, 4), (6, 9)];
        let other = Ranges::new([(0, 4), (9, 11)]);
        let set = Ranges::new(given);
        for value in all {
            let is = given.iter().any(|&(first, last)| (first..=last).contains(&value));
            assert_eq!(set.contains(value), is, "{value}");
            assert_eq!(set.complement(-3, 11).contains(value), !is, "{value}");
            assert_eq!(set.union(&other).contains(value), is || other.contains(value), "{value}");
            assert_eq!(set.intersection(&other).contains(value), is && other.contains(value), "{value}");
        }
        assert_eq!(Ranges::new([(7, 7)]).single(), Some(7));
        assert_eq!(set.single(), None);
        assert!(set.intersection(&Ranges::default()).is_empty());
    }
}
