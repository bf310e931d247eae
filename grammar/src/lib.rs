//! Text in, syntax out.
//!
//! [`parse`] turns the text of a `.trc` file into [`syntax::File`], a side table of comments, and the mistakes it
//! met; [`parse_one_liner`] does the same for the text of `-e`. Nothing here knows a kernel, nothing here prints.
//!
//! The way through, each step once over the text:
//!
//! 1. `lexer`: text to tokens; comments and the values of literals go to side tables.
//! 2. `layout`: tokens to tokens; finds where statements and brackets end, also where their end was forgotten.
//! 3. `grammar.lalrpop`: tokens to syntax, with `builder` behind its actions and `report` behind its recovery.
//! 4. `errors`: the mistakes of all steps to one list, without those that only follow from another.
//!
//! A text that cannot be read as it is written goes this way a second time, and then `layout` guesses what was meant.

#![cfg_attr(
    not(test),
    deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::print_stderr, clippy::print_stdout)
)]

use std::cell::Cell;

use lalrpop_util::lalrpop_mod;

use crate::builder::{Builder, Parts, TooMany};
use crate::error::{SyntaxError, SyntaxErrorKind};
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
mod token;
pub mod words;

#[cfg(test)]
#[path = "../tests/sentences/mod.rs"]
mod sentences;

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unreachable_pub, unused, reason = "LALRPOP writes it")]
    grammar
);

/// The deepest nesting of expressions that is accepted.
pub const MAX_DEPTH: u32 = 256;

/// The longest text that is read, in bytes.
pub const MAX_SOURCE: usize = 8 << 20;

/// The most mistakes that are reported for one text, not counting the final [`SyntaxErrorKind::TooManyErrors`].
pub const MAX_ERRORS: usize = 200;

/// What a text says, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// All that could be understood. Where `errors` is empty, that is all there is.
    pub file: File,
    /// The comments, doc comments excepted, in the order of the text.
    pub comments: Vec<Comment>,
    /// The mistakes, in the order of the text.
    pub errors: Vec<SyntaxError>,
}

/// A comment that documents nothing and means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands, its markers included, its line's end excluded.
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

/// Bytes that are no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {at} begins no UTF-8 character")]
pub struct InvalidUtf8 {
    /// Offset of the first byte that is not UTF-8.
    pub at: usize,
}

/// The bytes of a file as text. Nothing is stripped or replaced.
///
/// # Errors
///
/// The offset of the first byte that is no UTF-8.
pub fn decode(bytes: &[u8]) -> Result<&str, InvalidUtf8> {
    std::str::from_utf8(bytes).map_err(|error| InvalidUtf8 { at: error.valid_up_to() })
}

/// Reads the text of a `.trc` file.
pub fn parse(text: &str) -> Parsed {
    parse_as(text, FileId::MAIN)
}

/// As [`parse`]; every span names `file`.
pub fn parse_as(text: &str, file: FileId) -> Parsed {
    read(Source { text, file }, Form::File)
}

/// Reads the text of `-e`: the clauses of one session, the first of which may leave out the word `trace`, the last
/// its semicolon. The result holds one session without a name.
pub fn parse_one_liner(text: &str) -> Parsed {
    parse_one_liner_as(text, FileId::MAIN)
}

/// As [`parse_one_liner`]; every span names `file`.
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

/// Reads a text once. Without guesses, the first place where the text cannot be read ends the attempt; the second value
/// then holds the guesses with which it is to be read again.
fn attempt(source: Source<'_>, form: Form, guesses: Guesses) -> (Parsed, Option<Guesses>) {
    let mut lexed = lexer::lex(source);
    let mut layout = layout::arrange(source, &lexed, form, guesses);
    drop(lexed.tokens);
    lexed.errors.forget(&layout.explained);

    let enough = Cell::new(false);
    let mut builder = Builder::new(source, &layout, lexed.literals, &enough, guesses == Guesses::None);
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
