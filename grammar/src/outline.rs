//! The outline of the language: the blocks of a text, the words with which the statements of each begin, and what may
//! stand behind these words.
//!
//! `build/outline.rs` derives all but the list of blocks from the grammar, so that a new statement is known here too.

use crate::token::Kind;

/// What stands between two braces, or in the whole text.
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
