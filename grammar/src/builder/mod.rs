//! State and helpers of the grammar's actions: spans, values, depths, and the mistakes that only the grammar finds.

use std::cell::Cell;

use lalrpop_util::{ErrorRecovery, ParseError};

use crate::error::SyntaxErrorKind;
use crate::errors::{Errors, TooMany};
use crate::layout::Layout;
use crate::lexer::Kind;
use crate::literal::Literals;
use crate::report;
use crate::span::{Source, Span, Spanned};
use crate::syntax::*;

mod definitions;
mod events;
mod exprs;

pub(crate) use definitions::{EventTail, Part};
pub(crate) use events::HeadPart;

/// An error of the parser, and the tokens that it skipped.
pub(crate) type Recovery = ErrorRecovery<u32, Kind, TooMany>;

/// The parts of a text; its expressions are in the builder.
pub(crate) struct Parts {
    pub(crate) doc: Option<Spanned<String>>,
    pub(crate) declarations: Vec<Declaration>,
}

/// The state of one parse.
pub(crate) struct Builder<'t> {
    pub(crate) exprs: Exprs,
    /// Mistakes that are always reported.
    pub(crate) errors: Errors,
    /// Mistakes that are reported only if the statement has no other.
    pub(crate) recovered: Errors,
    /// The first place where the text did not follow the grammar.
    pub(crate) stumbled: Option<u32>,
    source: Source<'t>,
    layout: &'t Layout,
    literals: Literals,
    /// Whether to stop at the first mistake.
    hasty: bool,
    /// Set when enough mistakes have been found.
    enough: &'t Cell<bool>,
    /// The part of an expression that was last found too deep; expressions that contain it are too deep for the same
    /// reason.
    too_deep: Option<Span>,
    /// The `?` found since it was last decided whether they are allowed.
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

    /// Returns a fetch argument. The blanks between the parts of a path were reported.
    pub(crate) fn fetch(&self, start: u32, end: u32) -> Spanned<String> {
        let written = self.name(start, end);
        if !written.value.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
            return written;
        }
        let joined =
            |text: &str, joint: &str| text.split(joint).map(str::trim).collect::<Vec<_>>().join(joint);
        Spanned::new(joined(&joined(&written.value, "->"), "."), written.span)
    }

    pub(crate) fn reserved(&mut self, start: u32, end: u32) -> Name {
        let name = self.name(start, end);
        self.errors.push(SyntaxErrorKind::ReservedWord { word: name.value.clone() }, name.span);
        name
    }

    /// Joins the parts of a name such as `x86-tsc`, which must not contain spaces.
    pub(crate) fn dashed(&mut self, name: Name, start: u32, end: u32, part: Name) -> Name {
        if name.span.end != start || part.span.start != end {
            let kind = SyntaxErrorKind::Unexpected { found: "`-`".to_owned(), expected: vec!["`;`"] };
            self.errors.push(kind, self.span(start, end));
        }
        Spanned::new(format!("{}-{}", name.value, part.value), name.span.to(part.span))
    }

    /// Returns the value of the number that begins at `start`. The lexer has stored one for each number token.
    pub(crate) fn number(&self, start: u32) -> u64 {
        self.literals.number(start).unwrap_or_default()
    }

    pub(crate) fn text(&mut self, start: u32, end: u32) -> Spanned<String> {
        Spanned::new(self.literals.take_text(start).unwrap_or_default(), self.span(start, end))
    }

    /// Returns the path of `<linux/blkdev.h>`.
    pub(crate) fn header(&self, start: u32, end: u32) -> Spanned<String> {
        self.name(start + 1, end - 1)
    }

    // Statements

    /// Builds the session of a one-liner.
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
        mut clauses: Vec<Clause>,
        start: u32,
        end: u32,
    ) -> Declaration {
        // A file of many short sessions would be half empty otherwise.
        clauses.shrink_to_fit();
        let span = self.span(start, end);
        let session = Session { doc, name, params, clauses, span };
        Declaration { doc: None, kind: DeclarationKind::Session(session), span }
    }

    /// Reports a part that may stand only once.
    fn repeated(&mut self, word: &'static str, span: Span) {
        self.errors.push(SyntaxErrorKind::RepeatedPart { word }, span);
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

    /// Reports the tokens that the parser skipped.
    pub(crate) fn recovered(&mut self, recovery: Recovery) {
        // Those that were skipped are not of the next value.
        self.choices.clear();
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

    /// Notes that the text is not correct, even if that is not reported.
    fn stumble(&mut self, offset: u32) {
        self.stumbled.get_or_insert(offset);
        self.enough.set(self.hasty || self.recovered.is_full());
    }
}

/// Returns the elements of a list that were parsed.
pub(crate) fn known<T>(list: Vec<Option<Box<T>>>) -> Vec<T> {
    list.into_iter().flatten().map(|element| *element).collect()
}
