//! Formatting of lists in brackets and blocks of rows.

use pretty::DocAllocator;

use super::gaps::{Edge, Gap};
use super::{Doc, Formatter, LEVEL};

/// A list in brackets.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a comma follows the last element where each has a line of its own.
    pub(super) last_comma: bool,
}

/// Parentheses: `(a, b)`.
pub(super) const PARENTHESES: Brackets = Brackets { open: "(", close: ")", last_comma: true };

/// Parentheses around exactly two elements: `(a, b)`.
pub(super) const PAIR: Brackets = Brackets { last_comma: false, ..PARENTHESES };

/// Braces: `{a, b}`.
pub(super) const BRACES: Brackets = Brackets { open: "{", close: "}", last_comma: true };

/// A line of a block.
pub(super) struct Row<'a> {
    head: Doc<'a>,
    /// The part after the head, in a column of its own, and the width of the head.
    cell: Option<(usize, Doc<'a>)>,
}

impl<'a> Row<'a> {
    pub(super) fn plain(doc: Doc<'a>) -> Self {
        Row { head: doc, cell: None }
    }

    pub(super) fn aligned(head: Doc<'a>, width: usize, cell: Doc<'a>) -> Self {
        Row { head, cell: Some((width, cell)) }
    }
}

/// A row with the gap before it.
struct Line<'a> {
    gap: Doc<'a>,
    /// Whether the previous line belongs to another row.
    adjacent: bool,
    row: Row<'a>,
}

impl<'a> Formatter<'a> {
    /// Formats a list in brackets, which has as many elements as `items`.
    pub(super) fn list<T>(
        &mut self,
        gap: Gap,
        brackets: Brackets,
        items: &[T],
        mut element: impl FnMut(&mut Self, &T) -> Doc<'a>,
    ) -> Doc<'a> {
        let open = self.token(gap, brackets.open);
        let mut inner = self.arena.nil();
        for (index, item) in items.iter().enumerate() {
            let (edge, plain) = match index {
                0 => (Edge::First, self.arena.line_()),
                _ => (Edge::Middle, self.arena.line()),
            };
            inner = inner.append(self.list_gap(edge, plain)).append(element(self, item));
            inner = inner.append(self.comma(index + 1 == items.len(), brackets.last_comma));
        }
        let (edge, plain) = match items {
            [] => (Edge::Only, self.arena.nil()),
            _ => (Edge::Last, self.arena.line_()),
        };
        let inner = inner.append(self.list_gap(edge, plain)).nest(LEVEL);
        open.append(inner).append(self.token(Gap::Tight, brackets.close)).group()
    }

    /// Formats the comma after an element or row. After the last one it is optional.
    pub(super) fn comma(&mut self, last: bool, wanted: bool) -> Doc<'a> {
        if !last {
            return self.mark(Gap::Close, ",");
        }
        self.cursor.eat(",");
        if wanted { self.arena.text(",").flat_alt(self.arena.nil()) } else { self.arena.nil() }
    }

    /// Formats `{`, rows and `}`. `one_line` says whether they may all stand on the line of the brace.
    pub(super) fn block<T>(
        &mut self,
        one_line: bool,
        items: &[T],
        mut row: impl FnMut(&mut Self, usize, &T) -> Row<'a>,
    ) -> Doc<'a> {
        let open = self.mark(Gap::Space, "{");
        let plain = |formatter: &Self| match one_line {
            true => formatter.arena.line(),
            false => formatter.arena.hardline(),
        };
        let mut lines = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let edge = if index == 0 { Edge::First } else { Edge::Middle };
            let gap = self.row_gap(edge, plain(self), true);
            let (docs, documented) = self.docs();
            let row = row(self, index, item);
            let adjacent = gap.adjacent && !documented;
            lines.push(Line { gap: gap.doc.append(docs), adjacent, row });
        }
        let (edge, end) = match items {
            [] => (Edge::Only, self.arena.nil()),
            _ => (Edge::Last, plain(self)),
        };
        let end = self.row_gap(edge, end, true).doc;
        let inner = self.assemble(lines).append(end).nest(LEVEL);
        open.append(inner).append(self.token(Gap::Tight, "}")).group()
    }

    /// Joins lines, with the cells of each run of adjacent ones in one column.
    fn assemble(&self, lines: Vec<Line<'a>>) -> Doc<'a> {
        let width = |line: &Line<'a>| line.row.cell.as_ref().map_or(0, |(width, _)| *width);
        let mut columns = Vec::with_capacity(lines.len());
        for run in lines.chunk_by(|_, line| line.adjacent) {
            let column = run.iter().map(width).max().unwrap_or_default();
            columns.extend(std::iter::repeat_n(column, run.len()));
        }
        let mut doc = self.arena.nil();
        for (Line { gap, row, .. }, column) in lines.into_iter().zip(columns) {
            doc = doc.append(gap).append(row.head);
            if let Some((width, cell)) = row.cell {
                let blanks = self.arena.text(" ".repeat(column - width));
                doc = doc.append(blanks.flat_alt(self.arena.nil())).append(cell);
            }
        }
        doc
    }

    /// Formats the `///` lines before a row, and returns whether there are any.
    pub(super) fn docs(&mut self) -> (Doc<'a>, bool) {
        let mut doc = self.arena.nil();
        let mut any = false;
        while self.cursor.peek().starts_with("///") {
            any = true;
            doc = doc.append(self.arena.text(self.cursor.take_line()));
            doc = doc.append(self.row_gap(Edge::Middle, self.arena.hardline(), true).doc);
        }
        (doc, any)
    }
}
