//! What the grammar could not read of a file.
//!
//! A declaration with a mistake of syntax is there only in part: what its rest seems to lack is no mistake of its own.

use tracec_grammar::Parsed;
use tracec_grammar::span::Span;

/// The places of mistakes of syntax.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    spans: Places,
    /// Whether there is one outside all declarations: then a declaration is missing, and nobody knows its name.
    pub(crate) lost: bool,
}

impl Unread {
    pub(crate) fn of(parsed: &Parsed) -> Self {
        let declarations = Places::new(parsed.file.declarations.iter().map(|declaration| declaration.span));
        let lost = !parsed.errors.iter().all(|error| declarations.touch(error.span));
        Unread { spans: Places::new(parsed.errors.iter().map(|error| error.span)), lost }
    }

    /// Whether something in this place could not be read.
    pub(crate) fn holds(&self, span: Span) -> bool {
        self.spans.touch(span)
    }
}

/// Places of one text by where they start, each with the end of the one before and including it that reaches furthest.
#[derive(Debug, Default)]
struct Places(Vec<(u32, u32)>);

impl Places {
    fn new(spans: impl Iterator<Item = Span>) -> Self {
        let mut places: Vec<(u32, u32)> = spans.map(|span| (span.start, span.end)).collect();
        places.sort_unstable();
        let mut furthest = 0;
        for (_, end) in &mut places {
            furthest = furthest.max(*end);
            *end = furthest;
        }
        Places(places)
    }

    /// Whether one of them touches `span`. A mistake at the very end of a declaration is of it too: a bracket or
    /// semicolon that is missing.
    fn touch(&self, span: Span) -> bool {
        let before = self.0.partition_point(|(start, _)| *start <= span.end);
        self.0[..before].last().is_some_and(|(_, end)| span.start <= *end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_touch_where_one_ends_and_the_other_begins() {
        let places =
            Places::new([(20, 30), (0, 10), (2, 4), (21, 22)].map(|(a, b)| Span::new(a, b)).into_iter());
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
            assert_eq!(places.touch(Span::new(start, end)), touch, "{start}..{end}");
        }
        assert!(!Places::default().touch(Span::new(0, 5)));
    }
}
