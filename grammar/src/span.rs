//! Positions in a source text.

/// A half-open range of byte offsets. They count from the start of the text, or from where the caller of
/// [`crate::parse_at`] says that the text begins among others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` up to, not including, `end`.
    pub fn new(start: usize, end: usize) -> Self {
        Span { start: start as u32, end: end as u32 }
    }

    /// The smallest range that holds both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The range as far behind `by` as this one is behind 0.
    pub(crate) fn shifted(self, by: u32) -> Span {
        Span { start: self.start + by, end: self.end + by }
    }

    /// The range as an index into a source text that begins at offset 0.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A value and the place it was written at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Joins a value with its place.
    pub fn new(value: T, span: Span) -> Self {
        Spanned { value, span }
    }
}

/// A text and the offset of its first byte in the space of offsets that all files of a compilation share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) base: u32,
}

impl<'t> Source<'t> {
    /// The text at `span`; empty where the span does not lie in it.
    pub(crate) fn slice(self, span: Span) -> &'t str {
        let local = |offset: u32| offset.checked_sub(self.base).map(|offset| offset as usize);
        match (local(span.start), local(span.end)) {
            (Some(start), Some(end)) => self.text.get(start..end).unwrap_or_default(),
            _ => "",
        }
    }

    /// The empty place behind the text.
    pub(crate) fn end(self) -> Span {
        let end = self.base + self.text.len() as u32;
        Span { start: end, end }
    }
}
