//! Comments, which do not belong to the syntax.

use crate::span::Span;

/// A comment that is not a doc comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its span, with its markers, without the end of its line.
    pub span: Span,
    /// How it is written.
    pub kind: CommentKind,
}

/// The ways to write a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `// ..` up to the end of the line.
    Line,
    /// `/* .. */`, which does not nest.
    Block,
}
