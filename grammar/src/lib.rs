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
//! meant.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

use std::cell::Cell;

use lalrpop_util::lalrpop_mod;

use crate::builder::{Builder, Parts};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::errors::TooMany;
use crate::layout::{Form, Guesses};
use crate::span::{FileId, Source, Span};
use crate::syntax::File;

pub use crate::format::format;

mod builder;
pub mod error;
mod errors;
mod format;
mod layout;
mod lexer;
mod literal;
mod outline;
mod report;
pub mod span;
pub mod syntax;
pub mod words;

#[cfg(test)]
#[path = "../tests/sentences/mod.rs"]
mod sentences;

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unreachable_pub, unused, reason = "LALRPOP writes it")]
    grammar
);

/// The limit of the nesting of expressions.
pub const MAX_DEPTH: u32 = 256;

/// The limit of the length of a text, in bytes.
pub const MAX_SOURCE: usize = 8 << 20;

/// The limit of reported mistakes for one text, not counting the final [`SyntaxErrorKind::TooManyErrors`].
pub const MAX_ERRORS: usize = 200;

/// The syntax of a text, and its mistakes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The syntax as far as it could be parsed. It is complete if `errors` is empty.
    pub file: File,
    /// The comments, except doc comments, in the order of the text.
    pub comments: Vec<Comment>,
    /// The mistakes, in the order of the text.
    pub errors: Vec<SyntaxError>,
}

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

/// An error of bytes that are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at} begins no UTF-8 character")]
pub struct InvalidUtf8 {
    /// Offset of the first byte that is not UTF-8.
    pub at: usize,
}

/// Returns the bytes of a file as text. Nothing is removed or replaced.
///
/// # Errors
///
/// The offset of the first byte that is not UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, InvalidUtf8> {
    std::str::from_utf8(bytes).map_err(|error| InvalidUtf8 { at: error.valid_up_to() })
}

/// Parses the text of a `.trc` file.
pub fn parse(text: &str) -> Parsed {
    parse_as(text, FileId::MAIN)
}

/// Parses as [`parse`] does; every span names `file`.
pub fn parse_as(text: &str, file: FileId) -> Parsed {
    read(Source { text, file }, Form::File)
}

/// Parses the text of `-e`: the clauses of one session, the first of which may leave out the word `trace`, the last its
/// semicolon. The result has one session without a name.
pub fn parse_one_liner(text: &str) -> Parsed {
    parse_one_liner_as(text, FileId::MAIN)
}

/// Parses as [`parse_one_liner`] does; every span names `file`.
pub fn parse_one_liner_as(text: &str, file: FileId) -> Parsed {
    read(Source { text, file }, Form::OneLiner)
}

fn read(source: Source<'_>, form: Form) -> Parsed {
    let start = source.file.span(0, 0);
    if source.text.len() > MAX_SOURCE {
        let error = SyntaxError::new(SyntaxErrorKind::SourceTooLarge, start);
        return Parsed { errors: vec![error], ..Parsed::default() };
    }
    match attempt(source, form, Guesses::None) {
        (parsed, None) => parsed,
        (_, Some(guesses)) => attempt(source, form, guesses).0,
    }
}

/// Parses a text once. Without guesses, the attempt ends at the first mistake; the second value then holds the guesses
/// for the next attempt.
fn attempt(source: Source<'_>, form: Form, guesses: Guesses) -> (Parsed, Option<Guesses>) {
    let mut lexed = lexer::lex(source);
    let mut layout = layout::arrange(source, &lexed, form, guesses);
    drop(lexed.tokens);
    lexed.errors.forget(&layout.explained);

    let enough = Cell::new(false);
    let mut builder = Builder::new(source, &layout, lexed.literals, &enough, guesses == Guesses::None);
    // Every second token or so is an expression. Memory that is not used costs nothing.
    builder.exprs.reserve(layout.tokens.len() / 2);
    let tokens = layout.tokens.iter().map(|token| match enough.get() {
        true => Err(TooMany),
        false => Ok((token.span.start, token.kind, token.span.end)),
    });
    let parts = grammar::StartParser::new().parse(&mut builder, tokens).unwrap_or_else(|error| {
        builder.give_up(&error);
        Parts { doc: None, declarations: Vec::new() }
    });
    let file = File { doc: parts.doc, declarations: parts.declarations, exprs: builder.exprs };
    let (certain, recovered, stumbled) = (builder.errors, builder.recovered, builder.stumbled);
    let doubtful = layout.errors.first().into_iter().chain(stumbled).min();
    let again = doubtful.filter(|_| guesses == Guesses::None).map(|place| layout.guesses(place));
    let outline = std::mem::take(&mut layout.errors);
    let errors = errors::merge(
        [lexed.errors, outline, certain],
        recovered,
        &layout.statements,
        source.file.span(0, 0),
    );
    (Parsed { file, comments: lexed.comments, errors }, again)
}
