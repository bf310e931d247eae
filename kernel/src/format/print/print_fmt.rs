//! A `print fmt` as a format and the tree of its arguments.

use std::fmt::{self, Display, Formatter, Write};

use super::directive::Piece;
use crate::c::{ByteRange, ExprId, Tree};

/// A parsed `print fmt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintFmt {
    pub(super) format: Format,
    pub(super) arguments: Vec<ExprId>,
    pub(super) trailing_comma: bool,
    pub(super) tree: Tree,
}

impl PrintFmt {
    /// Returns the format string.
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// Returns the arguments after the format string, in order. There may be more than the directives take.
    pub fn arguments(&self) -> &[ExprId] {
        &self.arguments
    }

    /// Returns the tree of the arguments.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// Prints the text it was parsed from, except for white space outside of literals: see [`Tree::display`].
impl Display for PrintFmt {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.tree.parts(f, &self.format.parts)?;
        if self.trailing_comma {
            f.write_char(',')?;
        }
        for &argument in &self.arguments {
            write!(f, ", {}", self.tree.display(argument))?;
        }
        Ok(())
    }
}

/// The format string of a `print fmt`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    pub(super) value: Box<[u8]>,
    pub(super) pieces: Vec<Piece>,
    pub(super) parts: Vec<ByteRange>,
}

impl Format {
    /// Returns the bytes that `vsnprintf` gets.
    pub fn value(&self) -> &[u8] {
        &self.value
    }

    /// Returns the spans of its literals in the text, quotes included. A verbatim format is one literal.
    pub fn literals(&self) -> &[ByteRange] {
        &self.parts
    }

    /// Returns text and directives, in order.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }
}
