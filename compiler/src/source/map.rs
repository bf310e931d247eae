//! The texts of one compilation.

use std::ops::Range;

use tracec_span::{FileId, Span};

use super::SourceText;

/// The texts of one compilation: the one to compile, and those that it imports. A [`FileId`] is an index into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceMap {
    /// The main text, then the others in the order in which they were added.
    files: Vec<SourceText>,
}

impl Default for SourceMap {
    fn default() -> Self {
        SourceMap::new(SourceText::default())
    }
}

impl From<SourceText> for SourceMap {
    fn from(main: SourceText) -> Self {
        SourceMap::new(main)
    }
}

impl SourceMap {
    /// Returns a map that holds the text to compile.
    pub fn new(main: SourceText) -> Self {
        SourceMap { files: vec![main] }
    }

    /// Puts another text in the place of the one to compile: one with the same places, of which that was an excerpt.
    pub fn replace_main(&mut self, main: SourceText) {
        self.files[0] = main;
    }

    /// Adds a text.
    pub fn add(&mut self, text: SourceText) -> FileId {
        self.files.push(text);
        FileId(self.files.len() as u32 - 1)
    }

    /// Returns the text to compile.
    pub fn main(&self) -> &SourceText {
        self.file(FileId::MAIN)
    }

    /// Returns a text; the main one for an id of another map.
    pub fn file(&self, id: FileId) -> &SourceText {
        self.files.get(id.index()).unwrap_or(&self.files[0])
    }

    /// Returns all texts, in the order of their ids.
    pub fn files(&self) -> &[SourceText] {
        &self.files
    }

    /// Returns the text that a span lies in, and the range within it. A range that exceeds the text is cut off, and one
    /// that begins or ends inside a character is moved to the start of that character.
    pub fn locate(&self, span: Span) -> (&SourceText, Range<usize>) {
        let file = self.file(span.file);
        let within = |offset: u32| file.text.floor_char_boundary(offset as usize);
        let start = within(span.start);
        (file, start..within(span.end).max(start))
    }

    /// Returns the source text of a span.
    pub fn text_of(&self, span: Span) -> &str {
        let (file, range) = self.locate(span);
        file.text.get(range).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, text: &str) -> SourceText {
        SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false }
    }

    fn three() -> (SourceMap, FileId, FileId) {
        let mut map = SourceMap::new(text("main", "abc"));
        let empty = map.add(text("empty", ""));
        let last = map.add(text("last", "d\u{1f980}e"));
        (map, empty, last)
    }

    #[test]
    fn a_span_lies_in_the_text_that_it_names() {
        let (map, empty, last) = three();
        for (span, name, what) in [
            (Span::new(0, 3), "main", "abc"),
            (Span::new(3, 3), "main", ""),
            (empty.span(0, 0), "empty", ""),
            (last.span(0, 1), "last", "d"),
            (last.span(1, 5), "last", "\u{1f980}"),
            (last.span(6, 6), "last", ""),
        ] {
            assert_eq!((map.locate(span).0.name.as_str(), map.text_of(span)), (name, what), "{span:?}");
        }
        assert_eq!(map.locate(last.span(5, 6)).1, 5..6);
    }

    #[test]
    fn spans_that_do_not_fit_are_cut() {
        let (map, empty, last) = three();
        for (span, what) in [
            (Span::new(1, 90), "bc"),
            (empty.span(0, 4), ""),
            (last.span(2, 4), ""),
            (last.span(90, 91), ""),
            (Span::new(2, 1), ""),
            (Span::new(u32::MAX as usize, 0), ""),
            (FileId(77).span(0, 2), "ab"),
        ] {
            assert_eq!(map.text_of(span), what, "{span:?}");
        }
    }
}
