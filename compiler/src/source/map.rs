//! Several texts in one space of offsets, so that a span says by itself which text it lies in.

use tracec_grammar::span::Span;

use super::SourceText;

/// The texts of one compilation: the one to compile, and those that it imports.
///
/// Each text has a base. A span of the compilation is a span of its text, moved by the base; that of the first text is
/// 0, so that where nothing is imported spans are offsets into the text. Between two texts one offset is left out: an
/// empty span at the end of a text does not lie in the next one.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    main: SourceText,
    imported: Vec<(u32, SourceText)>,
}

impl From<SourceText> for SourceMap {
    fn from(main: SourceText) -> Self {
        SourceMap::new(main)
    }
}

impl SourceMap {
    /// A map that holds the text to compile.
    pub fn new(main: SourceText) -> Self {
        SourceMap { main, imported: Vec::new() }
    }

    /// Adds a text and gives its base; `None` where the offsets of all texts together exceed 32 bits.
    pub fn add(&mut self, text: SourceText) -> Option<u32> {
        let (last, before) = self.files().last().unwrap_or((0, &self.main));
        let base = u32::try_from(u64::from(last) + before.text.len() as u64 + 1).ok()?;
        u32::try_from(u64::from(base) + text.text.len() as u64).ok()?;
        self.imported.push((base, text));
        Some(base)
    }

    /// The text to compile.
    pub fn main(&self) -> &SourceText {
        &self.main
    }

    /// All texts with their bases, in the order of these.
    pub fn files(&self) -> impl Iterator<Item = (u32, &SourceText)> {
        std::iter::once((0, &self.main)).chain(self.imported.iter().map(|(base, text)| (*base, text)))
    }

    /// The index in [`SourceMap::files`] of the text that a span begins in, and the span within that text. What
    /// exceeds the text is cut off.
    pub fn locate_index(&self, span: Span) -> (usize, Span) {
        let index = self.imported.partition_point(|(base, _)| *base <= span.start);
        let (base, file) = match index.checked_sub(1).and_then(|at| self.imported.get(at)) {
            Some((base, file)) => (*base, file),
            None => (0, &self.main),
        };
        // A span of another text may begin or end within a character here.
        let within = |offset: u32| file.text.floor_char_boundary(offset.saturating_sub(base) as usize);
        let start = within(span.start);
        (index, Span::new(start, within(span.end).max(start)))
    }

    /// The text that a span begins in, and the span within that text. What exceeds the text is cut off.
    pub fn locate(&self, span: Span) -> (&SourceText, Span) {
        let (index, local) = self.locate_index(span);
        let imported = index.checked_sub(1).and_then(|at| self.imported.get(at));
        (imported.map_or(&self.main, |(_, text)| text), local)
    }

    /// What stands at a span.
    pub fn text_of(&self, span: Span) -> &str {
        let (file, local) = self.locate(span);
        file.text.get(local.range()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, text: &str) -> SourceText {
        SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false }
    }

    fn three() -> (SourceMap, u32, u32) {
        let mut map = SourceMap::new(text("main", "abc"));
        let empty = map.add(text("empty", "")).expect("room");
        let last = map.add(text("last", "d\u{1f980}e")).expect("room");
        (map, empty, last)
    }

    #[test]
    fn a_span_lies_in_one_text_also_at_its_end() {
        let (map, empty, last) = three();
        for (start, end, name, what) in [
            (0, 3, "main", "abc"),
            (3, 3, "main", ""),
            (empty, empty, "empty", ""),
            (last, last + 1, "last", "d"),
            (last + 1, last + 5, "last", "\u{1f980}"),
            (last + 6, last + 6, "last", ""),
        ] {
            let span = Span { start, end };
            assert_eq!((map.locate(span).0.name.as_str(), map.text_of(span)), (name, what), "{span:?}");
        }
        assert_eq!(map.locate(Span { start: last + 5, end: last + 6 }).1, Span::new(5, 6));
    }

    #[test]
    fn spans_that_fit_no_text_are_cut() {
        let (map, empty, last) = three();
        for (start, end, what) in [
            (1, 90, "bc"),
            (empty, last + 1, ""),
            (last + 2, last + 4, ""),
            (last + 90, last + 91, ""),
            (2, 1, ""),
            (u32::MAX, 0, ""),
        ] {
            assert_eq!(map.text_of(Span { start, end }), what, "{start}..{end}");
        }
    }
}
