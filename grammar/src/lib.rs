//! Parser from text to syntax.
//!
//! [`parse`] turns the text of a `.trc` file into [`syntax::File`], a side table of comments, and the mistakes in the
//! text; [`parse_one_liner`] does the same for the text of `-e`. The crate does not depend on a kernel, and prints
//! nothing.
//!
//! The stages, each of which goes once over the text:
//!
//! 1. `lexer`: text to tokens; comments and the values of literals go to side tables.
//! 2. `layout`: tokens to tokens; finds where statements and brackets end, also where their end was forgotten.
//! 3. `grammar.lalrpop`: tokens to syntax, with `builder` behind its actions and `report` behind its recovery.
//! 4. `errors`: the mistakes of all steps to one list, without those that only follow from another.
//!
//! A text that cannot be parsed as written goes through the stages a second time, in which `layout` guesses what was
//! meant. [`reparse`] does the same for an edited text, of which it parses only what the edit may concern.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

mod builder;
mod comment;
mod decode;
mod direction;
pub mod error;
mod errors;
mod foreign;
mod format;
mod layout;
mod lexer;
mod limits;
mod literal;
mod outline;
mod parse;
pub mod planned;
mod reparse;
mod report;
mod shift;
pub mod span;
pub mod syntax;
mod tokens;
mod trace_event;
pub mod words;

pub use comment::{Comment, CommentKind};
pub use decode::{InvalidUtf8, decode};
pub use direction::{DirectionMark, Holder, direction_marks};
pub use foreign::pattern::{
    ForeignPattern, PatternSet, foreign_pattern, has_wildcard, literal_pattern, regular_expression,
};
pub use format::format;
pub use limits::{MAX_DEPTH, MAX_ERRORS, MAX_SOURCE};
pub use parse::{Parsed, parse, parse_as, parse_one_liner, parse_one_liner_as};
pub use reparse::{changed, reparse};
pub use tokens::{TextToken, TokenClass, tokens};

#[cfg(test)]
#[path = "../tests/sentences/mod.rs"]
mod sentences;
