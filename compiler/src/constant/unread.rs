//! The parts of a file that the grammar could not read.
//!
//! A declaration with a syntax error is present only in part. What the present part seems to lack is not reported as
//! another mistake.

use tracec_grammar::Parsed;
use tracec_grammar::span::Span;

/// The spans of syntax errors.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    spans: SpanSet,
    /// Whether there is one outside all declarations: then a declaration of unknown name is missing.
    pub(crate) lost: bool,
}

impl Unread {
    pub(crate) fn of(parsed: &Parsed) -> Self {
        let declarations = SpanSet::new(parsed.file.declarations.iter().map(|declaration| declaration.span));
        let lost = !parsed.errors.iter().all(|error| declarations.touch(error.span));
        Unread { spans: SpanSet::new(parsed.errors.iter().map(|error| error.span)), lost }
    }

    /// Returns whether something in the file could not be read.
    pub(crate) fn any(&self) -> bool {
        !self.spans.0.is_empty()
    }

    /// Returns whether something in this span could not be read.
    pub(crate) fn holds(&self, span: Span) -> bool {
        self.spans.touch(span)
    }
}

/// Spans of one text, sorted by start. Each is stored with the greatest end up to and including its own.
#[derive(Debug, Default)]
struct SpanSet(Vec<(u32, u32)>);

impl SpanSet {
    fn new(spans: impl Iterator<Item = Span>) -> Self {
        let mut ends: Vec<(u32, u32)> = spans.map(|span| (span.start, span.end)).collect();
        ends.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut ends {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        SpanSet(ends)
    }

    /// Returns whether one of them touches `span`. A mistake at the very end of a declaration belongs to it too: a
    /// missing bracket or semicolon.
    fn touch(&self, span: Span) -> bool {
        let before = self.0.partition_point(|(start, _)| *start <= span.end);
        self.0[..before].last().is_some_and(|(_, end)| span.start <= *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_touch_where_one_ends_and_the_other_begins() {
        let spans =
            SpanSet::new([(20, 30), (0, 10), (2, 4), (21, 22)].map(|(a, b)| Span::new(a, b)).into_iter());
        for (start, end, touch) in [
            (0, 0, true),
            (5, 6, true),
            (10, 11, true),
            (11, 19, false),
            (11, 20, true),
            (25, 26, true),
            (30, 40, true),
            (31, 40, false),
        ] {
            assert_eq!(spans.touch(Span::new(start, end)), touch, "{start}..{end}");
        }
        assert!(!SpanSet::default().touch(Span::new(0, 5)));
    }
}
