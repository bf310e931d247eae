//! The space between two tokens: a blank, a line end, comments.
//!
//! A comment keeps its side of every line end: a comment at the end of a line stays there, and one on a line of its own
//! keeps its line. A line end beside a comment is therefore never optional, and formatting is idempotent.

use pretty::DocAllocator;

use super::cursor::Passed;
use super::{Doc, Formatter};

/// The space before a token where there is no comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gap {
    /// Nothing.
    Tight,
    /// Nothing, after an opening bracket.
    Open,
    /// Nothing, before a closing bracket or the end of a list's element.
    Close,
    /// A blank.
    Space,
    /// A blank, or a line end where the group around it is broken.
    Line,
    /// A blank, or a line end where the next text does not fit on the line.
    Soft,
}

/// The position of a gap between the brackets of a list or block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// The start of the file.
    Start,
    /// Before the first row.
    First,
    /// Between two rows.
    Middle,
    /// After the last row.
    Last,
    /// There are no rows.
    Only,
}

/// The gap between two rows.
pub(super) struct RowGap<'a> {
    pub(super) doc: Doc<'a>,
    /// Whether the rows are on adjacent lines.
    pub(super) adjacent: bool,
}

impl<'a> Formatter<'a> {
    /// Returns the gap before the next token, with its comments.
    pub(super) fn gap(&mut self, gap: Gap) -> Doc<'a> {
        let (comments, newlines) = self.cursor.comments();
        if comments.is_empty() {
            return match gap {
                Gap::Tight | Gap::Open | Gap::Close => self.arena.nil(),
                Gap::Space => self.arena.space(),
                Gap::Line => self.arena.line(),
                Gap::Soft => self.arena.line().group(),
            };
        }
        let mut doc = self.arena.nil();
        for (index, comment) in comments.iter().enumerate() {
            doc = match comment.newlines {
                0 if index == 0 && gap == Gap::Open => doc,
                0 => doc.append(self.arena.space()),
                _ => doc.append(self.arena.hardline()),
            };
            doc = doc.append(self.comment(comment));
        }
        match gap {
            _ if newlines > 0 => doc.append(self.arena.hardline()),
            Gap::Close => doc,
            Gap::Tight | Gap::Open | Gap::Space => doc.append(self.arena.space()),
            Gap::Line => doc.append(self.arena.line()),
            Gap::Soft => doc.append(self.arena.line().group()),
        }
    }

    /// Returns the gap between two elements of a list, with `plain` where there is no comment.
    pub(super) fn list_gap(&mut self, edge: Edge, plain: Doc<'a>) -> Doc<'a> {
        if self.cursor.must_step_over() {
            return self.row_gap(edge, plain, false).doc;
        }
        let (comments, _) = self.cursor.comments();
        let mut doc = self.arena.nil();
        for comment in &comments {
            let comment = self.comment(comment);
            doc = match edge {
                Edge::Start | Edge::First | Edge::Middle => doc.append(comment).append(self.arena.space()),
                Edge::Last | Edge::Only => doc.append(self.arena.space()).append(comment),
            };
        }
        match edge {
            Edge::Start | Edge::First | Edge::Middle => plain.append(doc),
            Edge::Last | Edge::Only => doc.append(plain),
        }
    }

    /// Returns the gap between two rows of a block, with `plain` where there is no comment. Comments on the line of the
    /// row before stay there, others stand above the next row. `blank` says whether an empty line is kept.
    pub(super) fn row_gap(&mut self, edge: Edge, plain: Doc<'a>, blank: bool) -> RowGap<'a> {
        let (comments, newlines) = self.cursor.comments();
        if comments.is_empty() {
            let blank = blank && edge == Edge::Middle && newlines > 1;
            let doc = if blank { self.blank_line() } else { plain };
            return RowGap { doc, adjacent: !blank };
        }
        let (trailing, leading) = comments.split_at(trailing(&comments, newlines, edge));
        let mut doc = self.arena.nil();
        for comment in trailing {
            doc = doc.append(self.arena.space()).append(self.comment(comment));
        }
        let mut first = !matches!(edge, Edge::Middle | Edge::Last);
        for (index, comment) in leading.iter().enumerate() {
            doc = doc.append(match comment.newlines {
                0 if index > 0 => self.arena.space(),
                _ if index == 0 && edge == Edge::Start => self.arena.nil(),
                2.. if blank && !first => self.blank_line(),
                _ => self.arena.hardline(),
            });
            doc = doc.append(self.comment(comment));
            first = false;
        }
        let more = !matches!(edge, Edge::Last | Edge::Only);
        let inline = more && newlines == 0 && !leading.is_empty();
        let blank = more && newlines > 1 && blank && !first;
        let end = match (inline, blank) {
            (true, _) => self.arena.space(),
            (false, true) => self.blank_line(),
            (false, false) => self.arena.hardline(),
        };
        RowGap { doc: doc.append(end), adjacent: leading.is_empty() && !blank }
    }

    fn comment(&self, comment: &Passed<'a>) -> Doc<'a> {
        if !comment.text.contains('\n') {
            return self.arena.text(comment.text);
        }
        // The lines of a block comment end as all others do.
        let lines = comment.text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
        self.arena.text(lines.collect::<Vec<_>>().join(self.line_end))
    }

    fn blank_line(&self) -> Doc<'a> {
        self.arena.hardline().append(self.arena.hardline())
    }
}

/// Returns how many of the comments between two rows belong to the line of the first.
fn trailing(comments: &[Passed], newlines: u32, edge: Edge) -> usize {
    let on_line = comments.iter().take_while(|comment| comment.newlines == 0).count();
    let ends = on_line < comments.len() || newlines > 0 || edge == Edge::Last;
    if ends && edge != Edge::Start { on_line } else { 0 }
}
