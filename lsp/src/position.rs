//! Positions of the protocol as offsets, and back.

use gen_lsp_types::{Position, Range};
use tracec_compiler::source::{LineEnds, LineIndex, Position as Place, Unit};
use tracec_span::Span;

use crate::diagnostics::Encoding;

/// The lines of a text, in the encoding that client and server agreed on.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    index: LineIndex<'t>,
    unit: Unit,
}

impl<'t> Lines<'t> {
    /// Finds the lines of a text.
    pub(crate) fn new(text: &'t str, encoding: Encoding) -> Self {
        Lines { index: LineIndex::new(text, LineEnds::Protocol), unit: encoding.unit() }
    }

    /// Returns the offset of a position. A position outside of the text is moved into it, as the protocol wants.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let place = Place { line: position.line as usize, column: position.character as usize };
        self.index.offset(place, self.unit)
    }

    /// Returns the position of an offset.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let Place { line, column } = self.index.position(offset, self.unit);
        Position { line: saturated(line), character: saturated(column) }
    }

    /// Returns the range of a span.
    pub(crate) fn range(&self, span: Span) -> Range {
        let range = span.range();
        Range { start: self.position(range.start), end: self.position(range.end) }
    }
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
