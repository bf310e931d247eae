//! What the grammar could not read of a file.
//!
//! A declaration with a mistake of syntax is there only in part: what its rest seems to lack is no mistake of its own.

use tracec_grammar::Parsed;
use tracec_grammar::span::Span;

/// The places of mistakes of syntax.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    spans: Vec<Span>,
    /// Whether there is one outside all declarations: then a declaration is missing, and nobody knows its name.
    pub(crate) lost: bool,
}

impl Unread {
    pub(crate) fn of(parsed: &Parsed) -> Self {
        let spans: Vec<Span> = parsed.errors.iter().map(|error| error.span).collect();
        let is_inside = |span: &Span| parsed.file.declarations.iter().any(|d| touches(d.span, *span));
        let lost = !spans.iter().all(is_inside);
        Unread { spans, lost }
    }

    /// Whether something in this place could not be read.
    pub(crate) fn holds(&self, span: Span) -> bool {
        self.spans.iter().any(|unread| touches(span, *unread))
    }
}

/// A mistake at the very end is of the declaration too: a bracket or semicolon that is missing.
fn touches(declaration: Span, mistake: Span) -> bool {
    mistake.start <= declaration.end && declaration.start <= mistake.end
}
