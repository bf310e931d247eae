//! The outline of the language: the blocks of a text, the words with which the statements of each begin, and the tokens
//! that may follow these words.
//!
//! `build/outline.rs` derives everything except the list of blocks from the grammar, so that a new statement is
//! included.

use crate::lexer::Kind;

/// A kind of block: the text between two braces, or the whole text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Block {
    /// Declarations.
    File,
    /// Clauses: of a session, of `global` and `when`, or of a one-liner.
    Clauses,
    /// Items of `trace` and `on`.
    Items,
    /// Members of `enum` and `flags`.
    Members,
    /// Parts of `class` and `event`.
    Parts,
    /// Fields of `entry`.
    Fields,
    /// Fields of a probe.
    Probe,
}

include!(concat!(env!("OUT_DIR"), "/outline.rs"));
