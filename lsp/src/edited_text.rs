//! A text that is edited in many places at once, as a replacement of a word everywhere does. An edit takes as long as its
//! own lines are, and not as the text is.

use gen_lsp_types::{Position, Range};

use crate::diagnostics::Encoding;
use crate::position::Lines;

/// A text as its lines.
#[derive(Debug)]
pub(crate) struct EditedText {
    /// Each with its end; the last one has none.
    lines: Vec<String>,
    encoding: Encoding,
}

impl EditedText {
    /// Takes a text apart.
    pub(crate) fn new(text: String, encoding: Encoding) -> Self {
        EditedText { lines: lines_of(&text), encoding }
    }

    /// Replaces a range. One outside of the text is moved into it, and one that ends before its start is turned round.
    pub(crate) fn replace(&mut self, range: Range, new: &str) {
        let (one, other) = (self.place(range.start), self.place(range.end));
        let (start, end) = (one.min(other), one.max(other));
        let part = |line: usize, from: usize, to: Option<usize>| {
            let text = self.lines.get(line).map_or("", String::as_str);
            text.get(from..to.unwrap_or(text.len())).unwrap_or_default().to_owned()
        };
        let (mut first, mut last) = (start.0, end.0);
        let mut text = part(first, 0, Some(start.1)) + new + &part(last, end.1, None);
        // `\r` and `\n` that come together are one end of a line.
        if text.starts_with('\n') && first > 0 && part(first - 1, 0, None).ends_with('\r') {
            first -= 1;
            text.insert_str(0, &part(first, 0, None));
        }
        if text.ends_with('\r') && part(last + 1, 0, None).starts_with('\n') {
            last += 1;
            text.push_str(&part(last, 0, None));
        }
        let is_end = last + 1 >= self.lines.len();
        let mut lines = lines_of(&text);
        if !is_end {
            // The text ends with a line's end, behind which the next line stands and not an empty one.
            lines.pop();
        }
        self.lines.splice(first..(last + 1).min(self.lines.len()), lines);
    }

    /// Returns the text.
    pub(crate) fn whole(self) -> String {
        self.lines.concat()
    }

    /// Returns the line of a position, and the offset in it.
    fn place(&self, position: Position) -> (usize, usize) {
        let line = position.line as usize;
        match self.lines.get(line) {
            Some(text) => {
                let here = Position { line: 0, character: position.character };
                (line, Lines::new(text, self.encoding).offset(here))
            }
            None => (self.lines.len().saturating_sub(1), self.lines.last().map_or(0, String::len)),
        }
    }
}

/// Returns a text with one range replaced, as [`EditedText::replace`] does it: for one edit alone, it takes longer to take
/// the text apart.
pub(crate) fn replaced(mut text: String, range: Range, new: &str, encoding: Encoding) -> String {
    let lines = Lines::new(&text, encoding);
    let (one, other) = (lines.offset(range.start), lines.offset(range.end));
    text.replace_range(one.min(other)..one.max(other), new);
    text
}

/// Returns the lines of a text by the line ends of the protocol: `\n`, `\r\n` and `\r`.
fn lines_of(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for piece in text.split_inclusive('\n') {
        let (content, end) = match piece.strip_suffix("\r\n") {
            Some(content) => (content, "\r\n"),
            None => piece.strip_suffix('\n').map_or((piece, ""), |content| (content, "\n")),
        };
        let mut rest = content;
        while let Some(at) = rest.find('\r') {
            let (line, behind) = rest.split_at(at + 1);
            lines.push(line.to_owned());
            rest = behind;
        }
        lines.push(format!("{rest}{end}"));
    }
    if lines.last().is_none_or(|last| last.ends_with(['\n', '\r'])) {
        lines.push(String::new());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Edits of lines lead to the text that edits of the whole lead to, with every end of line and width of character.
    #[test]
    fn edits_are_those_of_the_whole_text() {
        let pieces = ["a", "\u{1f980}", "\r", "\n", "\r\n", "", "b\nc\r", "\n\r"];
        // A generator of numbers (Knuth's MMIX): the same edits each time.
        let mut state = 7_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        for encoding in [Encoding::Utf8, Encoding::Utf16] {
            let mut text = String::new();
            let mut edited = EditedText::new(String::new(), encoding);
            for _ in 0..4000 {
                let mut at = || Position { line: below(6) as u32, character: below(5) as u32 };
                let range = Range { start: at(), end: at() };
                let new = pieces[below(pieces.len())];
                text = replaced(text, range, new, encoding);
                edited.replace(range, new);
                assert_eq!(edited.lines.concat(), text, "{range:?} {new:?}");
                assert_eq!(edited.lines, lines_of(&text), "{range:?} {new:?}");
            }
        }
    }

    /// The time that many edits take does not depend on the length of the text: with a look at the whole for each, this
    /// would take minutes.
    #[test]
    fn many_edits_of_a_long_text_are_made_at_once() {
        let text = "a line of a long text\n".repeat(100_000);
        let mut edited = EditedText::new(text, Encoding::Utf16);
        for line in (0..50_000).rev() {
            let at = Position { line, character: 0 };
            edited.replace(Range { start: at, end: at }, " ");
        }
        assert_eq!(edited.lines[49_999], " a line of a long text\n");
        assert_eq!(edited.lines[50_000], "a line of a long text\n");
    }
}
