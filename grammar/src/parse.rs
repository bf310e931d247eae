//! The stages in order: a text to its syntax, comments and mistakes.

use std::cell::Cell;

use lalrpop_util::lalrpop_mod;

use crate::builder::{Builder, Parts};
use crate::comment::Comment;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::errors::{self, TooMany};
use crate::layout::{self, Form, Guesses};
use crate::lexer;
use crate::limits::MAX_SOURCE;
use crate::span::{FileId, Source};
use crate::syntax::File;

lalrpop_mod!(
    #[allow(clippy::all, missing_docs, unreachable_pub, unused, reason = "LALRPOP writes it")]
    grammar
);

/// The bytes at the start of a file in which binary data has a NUL.
const LONGEST_SIGNATURE: usize = 64;

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
    if source.text.as_bytes().iter().take(LONGEST_SIGNATURE).any(|&byte| byte == 0) {
        let error = SyntaxError::new(SyntaxErrorKind::NotASource { json: false }, start);
        return Parsed { errors: vec![error], ..Parsed::default() };
    }
    match attempt(source, form, Guesses::None) {
        (parsed, None) => parsed,
        (_, Some(guesses)) => attempt(source, form, guesses).0,
    }
}

/// Parses a text once. Without guesses, the attempt ends at the first mistake; the second value then holds the guesses
/// for the next attempt.
pub(crate) fn attempt(source: Source<'_>, form: Form, guesses: Guesses) -> (Parsed, Option<Guesses>) {
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
    let again = doubtful.filter(|_| guesses == Guesses::None).map(|offset| layout.guesses(offset));
    let outline = std::mem::take(&mut layout.errors);
    let errors = errors::merge(
        [lexed.errors, outline, certain],
        recovered,
        &layout.statements,
        source.file.span(0, 0),
    );
    (Parsed { file, comments: lexed.comments, errors }, again)
}
