//! What the actions of the grammar do: spans, values, depths, and the mistakes that only the grammar sees.

use std::cell::Cell;

use lalrpop_util::{ErrorRecovery, ParseError};

use crate::MAX_DEPTH;
use crate::error::SyntaxErrorKind;
use crate::errors::Errors;
use crate::layout::Layout;
use crate::literal::Literals;
use crate::report;
use crate::span::{Source, Span, Spanned};
use crate::syntax::*;
use crate::token::Kind;

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
    source: Source<'t>,
    layout: &'t Layout,
    literals: Literals,
    /// Set when enough mistakes have been met.
    enough: &'t Cell<bool>,
    /// The part of an expression that was last found too deep; what is built on it is too deep for the same reason.
    too_deep: Option<Span>,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(
        source: Source<'t>,
        layout: &'t Layout,
        literals: Literals,
        enough: &'t Cell<bool>,
    ) -> Self {
        Builder {
            exprs: Exprs::default(),
            errors: Errors::default(),
            recovered: Errors::default(),
            source,
            layout,
            literals,
            enough,
            too_deep: None,
        }
    }

    pub(crate) fn span(&self, start: u32, end: u32) -> Span {
        Span { start, end }
    }

    // Words and literals

    pub(crate) fn name(&self, start: u32, end: u32) -> Name {
        let span = Span { start, end };
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
            self.errors.push(kind, Span { start, end });
        }
        Spanned::new(format!("{}-{}", name.value, part.value), name.span.to(part.span))
    }

    /// The value of the number that begins at `start`. The lexer has stored one for each token that is a number.
    pub(crate) fn number(&self, start: u32) -> u64 {
        self.literals.number(start).unwrap_or_default()
    }

    pub(crate) fn text(&mut self, start: u32, end: u32) -> Spanned<String> {
        Spanned::new(self.literals.take_text(start).unwrap_or_default(), Span { start, end })
    }

    // Statements

    /// The session of a one-liner.
    pub(crate) fn anonymous(
        &self,
        first: Option<Clause>,
        rest: Vec<Clause>,
        start: u32,
        end: u32,
    ) -> Declaration {
        let clauses = first.into_iter().chain(rest).collect();
        self.session(None, None, clauses, start, end.max(start))
    }

    pub(crate) fn session(
        &self,
        doc: Option<Spanned<String>>,
        name: Option<Name>,
        clauses: Vec<Clause>,
        start: u32,
        end: u32,
    ) -> Declaration {
        let span = Span { start, end };
        let session = Session { doc, name, params: Vec::new(), clauses, span };
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
        (!include.is_empty()).then_some(EventSet { include, except, span: Span { start, end } })
    }

    pub(crate) fn missing_semicolon(&mut self, at: u32) {
        self.recovered.push(SyntaxErrorKind::MissingSemicolon, Span { start: at, end: at });
        self.enough.set(self.recovered.is_full());
    }

    /// Reports what the parser skipped.
    pub(crate) fn recovered(&mut self, recovery: Recovery) {
        if let Some(error) = report::explain(self.source, &self.layout.tokens, &recovery.error) {
            self.recovered.push(error.kind, error.span);
        }
        self.enough.set(self.recovered.is_full());
    }

    /// Reports why the parser stopped before the end of the text.
    pub(crate) fn give_up(&mut self, error: &ParseError<u32, Kind, TooMany>) {
        match error {
            ParseError::User { error: TooMany } => self.recovered.overflow(),
            other => {
                if let Some(error) = report::explain(self.source, &self.layout.tokens, other) {
                    self.recovered.push(error.kind, error.span);
                }
            }
        }
    }

    // Expressions

    /// Adds an expression with operands, the deepest of which has `below` levels; `place` is what to point at if the
    /// expression is too deep.
    fn node(&mut self, kind: ExprKind, span: Span, below: u32, place: Span) -> ExprId {
        if below < MAX_DEPTH {
            return self.exprs.push(Expr { kind, span, depth: below + 1 });
        }
        let known = self.too_deep.is_some_and(|deep| span.start <= deep.start && deep.end <= span.end);
        if !known {
            self.errors.push(SyntaxErrorKind::TooDeep, place);
        }
        self.too_deep = Some(span);
        self.exprs.push(Expr { kind: ExprKind::Error, span, depth: 1 })
    }

    pub(crate) fn leaf(&mut self, kind: ExprKind, start: u32, end: u32) -> ExprId {
        self.exprs.push(Expr { kind, span: Span { start, end }, depth: 1 })
    }

    pub(crate) fn error(&mut self, start: u32, end: u32) -> ExprId {
        self.leaf(ExprKind::Error, start, end)
    }

    pub(crate) fn parenthesised(&mut self, inner: ExprId, start: u32, end: u32) -> ExprId {
        self.exprs.set_span(inner, Span { start, end });
        inner
    }

    pub(crate) fn or(&mut self, operands: Vec<ExprId>) -> ExprId {
        let (span, below) = self.extent(&operands);
        self.node(ExprKind::Or(operands), span, below, span)
    }

    pub(crate) fn and(&mut self, operands: Vec<ExprId>) -> ExprId {
        let (span, below) = self.extent(&operands);
        self.node(ExprKind::And(operands), span, below, span)
    }

    /// What operands cover, and the depth of the deepest.
    fn extent(&self, operands: &[ExprId]) -> (Span, u32) {
        let mut span: Option<Span> = None;
        let mut below = 0;
        for &id in operands {
            let operand = &self.exprs[id];
            span = Some(span.map_or(operand.span, |span| span.to(operand.span)));
            below = below.max(operand.depth);
        }
        (span.unwrap_or_default(), below)
    }

    pub(crate) fn binary(&mut self, left: ExprId, op: Spanned<BinaryOp>, right: ExprId) -> ExprId {
        let (span, below) = self.extent(&[left, right]);
        let place = op.span;
        self.node(ExprKind::Binary { op, left, right }, span, below, place)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, start: u32, end: u32, operand: ExprId) -> ExprId {
        let place = Span { start, end };
        let Expr { span, depth, .. } = self.exprs[operand];
        let op = Spanned::new(op, place);
        self.node(ExprKind::Unary { op, operand }, place.to(span), depth, place)
    }

    pub(crate) fn member(&mut self, base: ExprId, member: Name) -> ExprId {
        let Expr { span, depth, .. } = self.exprs[base];
        let place = member.span;
        self.node(ExprKind::Member { base, member }, span.to(place), depth, place)
    }

    /// `a < b < c`, where `left` is the first comparison.
    pub(crate) fn chained(&mut self, left: ExprId, op: Spanned<BinaryOp>, right: ExprId) -> ExprId {
        self.errors.push(SyntaxErrorKind::ChainedComparison, op.span);
        self.chain_on(left, right)
    }

    /// A further comparison of a chain that has been reported.
    pub(crate) fn chain_on(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let (span, _) = self.extent(&[left, right]);
        self.error(span.start, span.end)
    }

    /// The operator that was meant by one of another language.
    pub(crate) fn foreign_operator(&mut self, start: u32, end: u32) -> Spanned<BinaryOp> {
        let span = Span { start, end };
        let found = self.source.slice(span);
        let (instead, op) = match found {
            "!==" | "<>" => ("!=", BinaryOp::Ne),
            "=~" => ("~", BinaryOp::Match),
            _ => ("==", BinaryOp::Eq),
        };
        self.errors.push(SyntaxErrorKind::WrongOperator { found: found.to_owned(), instead }, span);
        Spanned::new(op, span)
    }
}
