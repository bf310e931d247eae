//! Formatting of lists in brackets and blocks of rows.

use pretty::DocAllocator;

use super::gaps::{Edge, Gap};
use super::{Doc, Formatter, LEVEL};

/// A list in brackets.
#[derive(Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: &'static str,
    pub(super) close: &'static str,
    /// Whether a comma follows the last element where the list has lines of its own.
    pub(super) last_comma: bool,
    /// Whether short elements share lines.
    pub(super) filled: bool,
}

/// Parentheses: `(a, b)`.
pub(super) const PARENTHESES: Brackets = Brackets { open: "(", close: ")", last_comma: true, filled: false };

/// Parentheses around exactly two elements: `(a, b)`.
pub(super) const PAIR: Brackets = Brackets { last_comma: false, ..PARENTHESES };

/// Braces: `{a, b}`.
pub(super) const BRACES: Brackets = Brackets { open: "{", close: "}", last_comma: true, filled: false };

/// Braces around values: `{1, 2}`.
pub(super) const VALUES: Brackets = Brackets { filled: true, ..BRACES };

/// The width, in columns, up to which the elements of a filled list share lines, so that a line has at least four.
const SHORT: usize = 22;

/// A line of a block.
pub(super) struct Row<'a> {
    head: Doc<'a>,
    /// The parts after the head, each in a column of its own.
    cells: Vec<Cell<'a>>,
}

/// A part of a line that stands in a column.
struct Cell<'a> {
    /// The width of the part before it.
    before: usize,
    doc: Doc<'a>,
}

impl<'a> Row<'a> {
    pub(super) fn plain(doc: Doc<'a>) -> Self {
        Row { head: doc, cells: Vec::new() }
    }

    /// Adds a part in the next column. `before` is the width of the part before it.
    pub(super) fn aligned(mut self, before: usize, doc: Doc<'a>) -> Self {
        self.cells.push(Cell { before, doc });
        self
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
        let mut elements = Vec::with_capacity(items.len());
        let mut filled = brackets.filled;
        for (index, item) in items.iter().enumerate() {
            let (edge, plain) = match index {
                0 => (Edge::First, self.arena.line_()),
                _ => (Edge::Middle, self.arena.line()),
            };
            // A comment is about the element beside it, which has a line of its own then.
            filled &= !self.cursor.is_before_comment();
            let gap = self.list_gap(edge, plain);
            let element =
                element(self, item).append(self.comma(index + 1 == items.len(), brackets.last_comma));
            filled &= self.width(&element).is_some_and(|width| width <= SHORT);
            elements.push((gap, element));
        }
        filled &= !self.cursor.is_before_comment();
        let mut inner = self.arena.nil();
        for (index, (gap, element)) in elements.into_iter().enumerate() {
            let gap = if filled && index > 0 { self.arena.line().group() } else { gap };
            inner = inner.append(gap).append(element);
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

    /// Joins lines, with the cells of each run of adjacent ones in columns.
    fn assemble(&self, lines: Vec<Line<'a>>) -> Doc<'a> {
        let mut doc = self.arena.nil();
        let mut lines = lines.into_iter().peekable();
        while let Some(first) = lines.next() {
            let mut run = vec![first];
            while let Some(line) = lines.next_if(|line| line.adjacent) {
                run.push(line);
            }
            let columns = columns(&run);
            for Line { gap, row, .. } in run {
                doc = doc.append(gap).append(row.head);
                for (Cell { before, doc: cell }, column) in row.cells.into_iter().zip(&columns) {
                    let blanks = self.arena.text(" ".repeat(column - before));
                    doc = doc.append(blanks.flat_alt(self.arena.nil())).append(cell);
                }
            }
        }
        doc
    }

    /// Returns the width of a part of the document on one line, if it can stand on one.
    pub(super) fn width(&self, doc: &Doc<'a>) -> Option<usize> {
        let line = doc.clone().group().pretty(usize::MAX).to_string();
        (!line.contains('\n')).then(|| line.chars().count())
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

/// Returns the widths of the parts before each column of a run of lines.
fn columns(run: &[Line]) -> Vec<usize> {
    let mut columns: Vec<usize> = Vec::new();
    for line in run {
        for (index, cell) in line.row.cells.iter().enumerate() {
            match columns.get_mut(index) {
                Some(column) => *column = cell.before.max(*column),
                None => columns.push(cell.before),
            }
        }
    }
    columns
}
