//! Which part of a text the lines of a header are for, so that what a C compiler says of a line can be reported there.
//!
//! While a header is written, a mark at the end of a line names the part. Marks are taken out when it is complete.

use tracec_grammar::span::Span;

/// The character at both ends of a mark, of those for private use. What a header holds of a text has it escaped
/// ([`is_escaped`](super::literal::is_escaped)).
pub(super) const MARK: char = '\u{f8ff}';

/// Returns the mark of a part.
pub(super) fn mark(span: Span) -> String {
    let range = span.range();
    format!("{MARK}{}-{}{MARK}", range.start, range.end)
}

/// A header with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marked {
    /// The header.
    pub(crate) text: String,
    /// The lines that have a part, counted from 1, in order.
    pub(crate) lines: Vec<(usize, Span)>,
}

impl Marked {
    /// Takes the marks out of a header.
    pub(super) fn of(marked: &str) -> Marked {
        let mut text = String::with_capacity(marked.len());
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(marked.split_inclusive('\n')) {
            let mut rest = line;
            while let Some((before, behind)) = rest.split_once(MARK) {
                text.push_str(before);
                rest = match behind.split_once(MARK).and_then(|(mark, rest)| Some((span(mark)?, rest))) {
                    Some((span, rest)) => {
                        lines.push((number, span));
                        rest
                    }
                    None => {
                        text.push(MARK);
                        behind
                    }
                };
            }
            text.push_str(rest);
        }
        Marked { text, lines }
    }

    /// Returns the part that a line is for: its own mark, or the next one, since a call of several lines has its mark at
    /// its end.
    #[cfg(test)]
    pub(crate) fn part(&self, line: usize) -> Option<Span> {
        part(&self.lines, line)
    }
}

/// Returns the part that a line is for.
pub(crate) fn part(lines: &[(usize, Span)], line: usize) -> Option<Span> {
    lines.get(lines.partition_point(|(number, _)| *number < line)).map(|(_, span)| *span)
}

fn span(mark: &str) -> Option<Span> {
    let (start, end) = mark.split_once('-')?;
    Some(Span::new(start.parse().ok()?, end.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_for_its_mark_or_the_next() {
        let (first, second) = (Span::new(1, 4), Span::new(7, 9));
        let header = format!("a\nb{}\nc\nd){},\ne\n", mark(first), mark(second));
        let marked = Marked::of(&header);
        assert_eq!(marked.text, "a\nb\nc\nd),\ne\n");
        let parts: Vec<Option<Span>> = (1..=5).map(|line| marked.part(line)).collect();
        assert_eq!(parts, [Some(first), Some(first), Some(second), Some(second), None]);
    }

    #[test]
    fn character_that_is_no_end_of_a_mark_stays() {
        let span = Span::new(1, 4);
        let header = format!("a{MARK}b{}c{MARK}\n", mark(span));
        let marked = Marked::of(&header);
        assert_eq!(marked.text, format!("a{MARK}bc{MARK}\n"));
        assert_eq!(marked.lines, [(1, span)]);
    }
}
