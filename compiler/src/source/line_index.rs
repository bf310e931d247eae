//! Offsets as lines and columns.

use memchr::memchr_iter;

/// The unit of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Bytes of UTF-8.
    Byte,
    /// Characters: Unicode scalar values.
    Char,
    /// Code units of UTF-16: characters beyond U+FFFF count twice.
    Utf16,
}

/// The line ends that are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnds {
    /// `\n`, and `\r\n` with it. Comments and strings of the language end there.
    Newline,
    /// `\n`, `\r\n` and `\r` alone, as in the Language Server Protocol.
    Protocol,
}

/// A line and a column, both counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The part of the line before it, in the unit of the column.
    pub column: usize,
}

/// A text whose lines are known.
#[derive(Debug)]
pub struct LineIndex<'t> {
    text: &'t str,
    /// Where each line begins; the first at 0.
    starts: Vec<usize>,
    ends: LineEnds,
}

impl<'t> LineIndex<'t> {
    /// Finds the lines of a text.
    pub fn new(text: &'t str, ends: LineEnds) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
        // A search for one character is far faster than a look at each, and few texts have this one.
        if ends == LineEnds::Protocol && text.contains('\r') {
            let is_alone = |at: usize| text.as_bytes().get(at + 1) != Some(&b'\n');
            let all = memchr_iter(b'\r', text.as_bytes());
            starts.extend(all.filter(|at| is_alone(*at)).map(|at| at + 1));
            starts.sort_unstable();
        }
        LineIndex { text, starts, ends }
    }

    /// Returns a line, counted from 0, without its end; empty where there is no such line.
    pub fn line(&self, line: usize) -> &'t str {
        let Some(&start) = self.starts.get(line) else { return "" };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Returns the line and column of an offset. An offset after the text is at its end, one inside a character at the
    /// start of that character, and one inside a line end at the end of the line's content.
    pub fn position(&self, offset: usize, unit: Unit) -> Position {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.starts.partition_point(|&start| start <= offset).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let until = self.text.get(start..offset).unwrap_or_default();
        let before = match (self.ends, until.strip_suffix('\r')) {
            // Between `\r` and `\n`.
            (LineEnds::Protocol, Some(content)) => content,
            _ => until,
        };
        let column = match unit {
            Unit::Byte => before.len(),
            _ if before.is_ascii() => before.len(),
            Unit::Char => before.chars().count(),
            Unit::Utf16 => before.chars().map(char::len_utf16).sum(),
        };
        Position { line, column }
    }

    /// Returns the offset of a line and column. A line after the text is at the end of the text, a column after the line
    /// at the end of the line's content, and one inside a character at the start of that character.
    pub fn offset(&self, position: Position, unit: Unit) -> usize {
        let Some(&start) = self.starts.get(position.line) else { return self.text.len() };
        let line = self.line(position.line);
        let within = match unit {
            _ if line.is_ascii() => position.column.min(line.len()),
            Unit::Byte => line.floor_char_boundary(position.column),
            Unit::Char => line.char_indices().nth(position.column).map_or(line.len(), |(at, _)| at),
            Unit::Utf16 => {
                let mut units = 0;
                let inside = line.char_indices().find(|(_, char)| {
                    units += char.len_utf16();
                    units > position.column
                });
                inside.map_or(line.len(), |(at, _)| at)
            }
        };
        start + within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each offset that a position can have is found again by that position.
    #[test]
    fn an_offset_is_that_of_its_position() {
        let text = "a\u{1f980}b\r\n\u{e4}\rx\n\n\u{20ac}";
        for ends in [LineEnds::Newline, LineEnds::Protocol] {
            let lines = LineIndex::new(text, ends);
            for unit in [Unit::Byte, Unit::Char, Unit::Utf16] {
                for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                    let (before, rest) = text.split_at(at);
                    // Between `\r` and `\n` there is no position.
                    if before.ends_with('\r') && rest.starts_with('\n') {
                        continue;
                    }
                    let position = lines.position(at, unit);
                    assert_eq!(lines.offset(position, unit), at, "{position:?} {unit:?} {ends:?}");
                }
            }
        }
    }

    #[test]
    fn a_position_that_the_text_lacks_is_cut() {
        let lines = LineIndex::new("\u{1f980}a\nb", LineEnds::Protocol);
        let offset = |line, column, unit| lines.offset(Position { line, column }, unit);
        assert_eq!(offset(0, 1, Unit::Utf16), 0, "inside a surrogate pair");
        assert_eq!(offset(0, 2, Unit::Utf16), 4);
        assert_eq!(offset(0, 2, Unit::Byte), 0, "inside a character");
        assert_eq!(offset(0, 99, Unit::Utf16), 5, "after the line");
        assert_eq!(offset(9, 0, Unit::Byte), 7, "after the text");
    }

    fn positions(text: &str, ends: LineEnds, offsets: &[usize], unit: Unit) -> Vec<(usize, usize)> {
        let lines = LineIndex::new(text, ends);
        offsets
            .iter()
            .map(|&offset| {
                let Position { line, column } = lines.position(offset, unit);
                (line, column)
            })
            .collect()
    }

    #[test]
    fn lines_have_no_ends() {
        let lines = LineIndex::new("a\r\n\n\u{1f980}", LineEnds::Newline);
        assert_eq!([0, 1, 2, 3].map(|line| lines.line(line)), ["a", "", "\u{1f980}", ""]);
    }

    #[test]
    fn columns_count_what_they_say() {
        // One, two, three and four bytes; one, one, one and two units of UTF-16.
        let (text, offsets) = ("a\u{e4}\u{20ac}\u{1f980}b\n\tc", [0, 1, 3, 6, 10, 11, 12, 13, 14]);
        let last = [(0, 0), (0, 1), (0, 3), (0, 6), (0, 10), (0, 11), (1, 0), (1, 1), (1, 2)];
        assert_eq!(positions(text, LineEnds::Newline, &offsets, Unit::Byte), last);
        let last = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 0), (1, 1), (1, 2)];
        assert_eq!(positions(text, LineEnds::Newline, &offsets, Unit::Char), last);
        let last = [(0, 0), (0, 1), (0, 2), (0, 3), (0, 5), (0, 6), (1, 0), (1, 1), (1, 2)];
        assert_eq!(positions(text, LineEnds::Newline, &offsets, Unit::Utf16), last);
    }

    #[test]
    fn lines_end_as_the_reader_counts_them() {
        let (text, offsets) = ("a\r\nb\rc\n", [0, 1, 2, 3, 4, 5, 6, 7]);
        let ours = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (1, 3), (2, 0)];
        assert_eq!(positions(text, LineEnds::Newline, &offsets, Unit::Char), ours);
        let theirs = [(0, 0), (0, 1), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0)];
        assert_eq!(positions(text, LineEnds::Protocol, &offsets, Unit::Char), theirs);
    }

    #[test]
    fn offsets_without_a_position_are_cut() {
        let offsets = [1, 3, 4, 99];
        assert_eq!(
            positions("\u{1f980}", LineEnds::Newline, &offsets, Unit::Utf16),
            [(0, 0), (0, 0), (0, 2), (0, 2)]
        );
        assert_eq!(positions("", LineEnds::Protocol, &[0, 1], Unit::Byte), [(0, 0), (0, 0)]);
    }
}
