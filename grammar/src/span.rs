//! Positions in a source text ([`tracec_span`]), and the text that is being parsed.

pub use tracec_span::{FileId, Span, Spanned};

/// A text and its id among those of a compilation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) file: FileId,
}

impl<'t> Source<'t> {
    /// Returns the text at `span`; empty where the span is not in it.
    pub(crate) fn slice(self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Returns the empty span at the end of the text.
    pub(crate) fn end(self) -> Span {
        let end = self.text.len() as u32;
        self.file.span(end, end)
    }
}
