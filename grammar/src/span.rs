//! Positions in a source text ([`tracec_span`]), and the text that is being read.

pub use tracec_span::{FileId, Span, Spanned};

/// A text and its place among those of a compilation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source<'t> {
    pub(crate) text: &'t str,
    pub(crate) file: FileId,
}

impl<'t> Source<'t> {
    /// Returns the text at `span`; empty where the span does not lie in it.
    pub(crate) fn slice(self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Returns the empty place behind the text.
    pub(crate) fn end(self) -> Span {
        let end = self.text.len() as u32;
        self.file.span(end, end)
    }
}
