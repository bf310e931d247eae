//! Positions in the source texts of a compilation: one type for all crates.
//!
//! A [`Span`] names its file, so that offsets count from the start of that file alone: an edit in one file does not
//! move the spans of another. The compilation that made a [`FileId`] knows the text that it stands for.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The index of a text among those of one compilation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileId(pub u32);

impl FileId {
    /// The main text. The others are imported by it, or given beside it.
    pub const MAIN: FileId = FileId(0);

    /// Returns the span of this text from offset `start` up to, not including, `end`.
    pub const fn span(self, start: u32, end: u32) -> Span {
        Span { file: self, start, end }
    }

    /// Returns the index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A half-open range of bytes of one text. Spans are ordered by file, then by start, then by end.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Span {
    /// The text.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the range from `start` up to, not including, `end` of a compilation's main text.
    pub const fn new(start: usize, end: usize) -> Self {
        FileId::MAIN.span(start as u32, end as u32)
    }

    /// Returns the smallest range that holds both. Both lie in one file; otherwise the result is `self`, since no range
    /// holds places of two files.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        if self.file != other.file {
            return self;
        }
        self.file.span(self.start.min(other.start), self.end.max(other.end))
    }

    /// Returns the empty range at the start.
    #[must_use]
    pub const fn before(self) -> Span {
        Span { end: self.start, ..self }
    }

    /// Returns the empty range at the end.
    #[must_use]
    pub const fn behind(self) -> Span {
        Span { start: self.end, ..self }
    }

    /// Returns a part, given as offsets from the start. Offsets beyond 32 bits saturate.
    #[must_use]
    pub fn part(self, part: Range<usize>) -> Span {
        let at = |offset: usize| self.start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX));
        self.file.span(at(part.start), at(part.end))
    }

    /// Returns whether this range holds all of `other`.
    pub fn holds(self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }

    /// Returns the range as an index into the text.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Prints `Span(FILE:START..END)` on one line, since a tree holds many spans.
impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Span({}:{}..{})", self.file.0, self.start, self.end)
    }
}

/// A value and its span.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The span.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value with its span.
    pub const fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_of_two_files_do_not_join_or_hold() {
        let (here, there) = (FileId(1).span(2, 9), FileId(2).span(3, 12));
        assert_eq!(here.to(there), here);
        assert!(!here.holds(FileId(2).span(3, 4)));
        assert_eq!(here.to(FileId(1).span(0, 3)), FileId(1).span(0, 9));
        assert!(here.holds(FileId(1).span(2, 9)) && !here.holds(FileId(1).span(1, 9)));
    }

    #[test]
    fn a_part_counts_from_the_start() {
        assert_eq!(FileId(3).span(10, 20).part(2..5), FileId(3).span(12, 15));
        assert_eq!(FileId(3).span(10, 20).part(0..usize::MAX), FileId(3).span(10, u32::MAX));
    }
}
