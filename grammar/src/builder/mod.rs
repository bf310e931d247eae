//! What the actions of the grammar do: spans, values, depths, and the mistakes that only the grammar sees.

use std::cell::Cell;

use lalrpop_util::{ErrorRecovery, ParseError};

use crate::error::SyntaxErrorKind;
use crate::errors::Errors;
use crate::layout::Layout;
use crate::literal::Literals;
use crate::report;
use crate::span::{Source, Span, Spanned};
use crate::syntax::*;
use crate::token::Kind;

mod definitions;
mod exprs;

pub(crate) use definitions::{ClassTail, Part};

/// The parser has met so many mistakes that more would only cost time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

/// What the parser found, and what it skipped to go on.
pub(crate) type Recovery = ErrorRecovery<u32, Kind, TooMany>;

/// What a text consists of; its expressions are in the builder.
pub(crate) struct Parts {
    pub(crate) doc: Option<Spanned<String>>,
    pub(crate) declarations: Vec<Declaration>,
}

/// The state of one parse.
pub(crate) struct Builder<'t> {
    pub(crate) exprs: Exprs,
    /// Mistakes that stand for themselves.
    pub(crate) errors: Errors,
    /// Mistakes that count only where the statement has no other.
    pub(crate) recovered: Errors,
    /// Where the parser first could not go on as the grammar says.
    pub(crate) stumbled: Option<u32>,
    source: Source<'t>,
    layout: &'t Layout,
    literals: Literals,
    /// Whether the first mistake is enough.
    hasty: bool,
    /// Set when enough mistakes have been met.
    enough: &'t Cell<bool>,
    /// The part of an expression that was last found too deep; what is built on it is too deep for the same reason.
    too_deep: Option<Span>,
    /// The `?` met since it was last known whether they may stand where they do.
    choices: Vec<Span>,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(
        source: Source<'t>,
        layout: &'t Layout,
        literals: Literals,
        enough: &'t Cell<bool>,
        hasty: bool,
    ) -> Self {
        Builder {
            exprs: Exprs::default(),
            errors: Errors::default(),
            recovered: Errors::default(),
            stumbled: None,
            source,
            layout,
            literals,
            hasty,
            enough,
            too_deep: None,
            choices: Vec::new(),
        }
    }

    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        self.source.file.span(start, end)
    }

    // Words and literals

    pub(crate) fn name(&self, start: u32, end: u32) -> Name {
        let span = self.span(start, end);
        Spanned::new(self.source.slice(span).to_owned(), span)
    }

    pub(crate) fn reserved(&mut self, start: u32, end: u32) -> Name {
        let name = self.name(start, end);
        self.errors.push(SyntaxErrorKind::ReservedWord { word: name.value.clone() }, name.span);
        name
    }

    /// Joins the parts of a name such as `x86-tsc`, between which no space may stand.
    pub(crate) fn dashed(&mut self, name: Name, start: u32, end: u32, part: Name) -> Name {
        if name.span.end != start || part.span.start != end {
            let kind = SyntaxErrorKind::Unexpected { found: "`-`".to_owned(), expected: vec!["`;`"] };
            self.errors.push(kind, self.span(start, end));
        }
        Spanned::new(format!("{}-{}", name.value, part.value), name.span.to(part.span))
    }

    /// The value of the number that begins at `start`. The lexer has stored one for each token that is a number.
    pub(crate) fn number(&self, start: u32) -> u64 {
        self.literals.number(start).unwrap_or_default()
    }

    pub(crate) fn text(&mut self, start: u32, end: u32) -> Spanned<String> {
        Spanned::new(self.literals.take_text(start).unwrap_or_default(), self.span(start, end))
    }

    /// The path of `<linux/blkdev.h>`.
    pub(crate) fn header(&self, start: u32, end: u32) -> Spanned<String> {
        self.name(start + 1, end - 1)
    }

    // Statements

    /// The session of a one-liner.
    pub(crate) fn anonymous(
        &self,
        first: Option<Box<Clause>>,
        rest: Vec<Clause>,
        start: u32,
        end: u32,
    ) -> Declaration {
        let clauses = first.map(|clause| *clause).into_iter().chain(rest).collect();
        self.session(None, (None, Vec::new()), clauses, start, end.max(start))
    }

    pub(crate) fn session(
        &self,
        doc: Option<Spanned<String>>,
        (name, params): (Option<Name>, Vec<SessionParam>),
        clauses: Vec<Clause>,
        start: u32,
        end: u32,
    ) -> Declaration {
        let span = self.span(start, end);
        let session = Session { doc, name, params, clauses, span };
        Declaration { doc: None, kind: DeclarationKind::Session(session), span }
    }

    /// A set of events, unless all of them were broken.
    pub(crate) fn event_set(
        &self,
        include: Vec<EventPath>,
        except: Vec<EventPath>,
        start: u32,
        end: u32,
    ) -> Option<EventSet> {
        (!include.is_empty()).then_some(EventSet { include, except, span: self.span(start, end) })
    }

    pub(crate) fn missing_semicolon(&mut self, at: u32) {
        self.recovered.push(SyntaxErrorKind::MissingSemicolon, self.span(at, at));
        self.stumble(at);
    }

    pub(crate) fn missing_comma(&mut self, at: u32) {
        self.recovered.push(SyntaxErrorKind::MissingComma, self.span(at, at));
        self.stumble(at);
    }

    pub(crate) fn wrong_separator(&mut self, start: u32, end: u32) {
        self.recovered.push(SyntaxErrorKind::WrongSeparator, self.span(start, end));
        self.stumble(start);
    }

    /// Reports what the parser skipped.
    pub(crate) fn recovered(&mut self, recovery: Recovery) {
        self.failed(&recovery.error);
    }

    /// Reports why the parser stopped before the end of the text.
    pub(crate) fn give_up(&mut self, error: &ParseError<u32, Kind, TooMany>) {
        match error {
            ParseError::User { error: TooMany } => self.recovered.overflow(),
            other => self.failed(other),
        }
    }

    fn failed(&mut self, error: &ParseError<u32, Kind, TooMany>) {
        if let Some(error) = report::explain(self.source, &self.layout.tokens, error) {
            self.recovered.push(error.kind, error.span);
        }
        self.stumble(match error {
            ParseError::UnrecognizedToken { token, .. } | ParseError::ExtraToken { token } => token.0,
            ParseError::UnrecognizedEof { location, .. } | ParseError::InvalidToken { location } => *location,
            ParseError::User { .. } => self.source.end().start,
        });
    }

    /// Notes that the text is not correct, be it worth a message or not.
    fn stumble(&mut self, place: u32) {
        self.stumbled.get_or_insert(place);
        self.enough.set(self.hasty || self.recovered.is_full());
    }
}

/// The elements of a list that were understood.
pub(crate) fn known<T>(list: Vec<Option<Box<T>>>) -> Vec<T> {
    list.into_iter().flatten().map(|element| *element).collect()
}
