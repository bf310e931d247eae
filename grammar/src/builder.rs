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

/// A part of an event definition.
pub(crate) enum Part {
    Proto(Vec<Param>),
    Entry(Vec<EntryField>),
    Assign(Spanned<String>),
    Print(Template),
}

/// What may stand behind the class of an event.
pub(crate) enum ClassTail {
    Condition(ExprId),
    Hooks(Hooks),
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
    /// The `?` met since it was last known whether they may stand where they do.
    choices: Vec<Span>,
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
            choices: Vec::new(),
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

    /// The path of `<linux/blkdev.h>`.
    pub(crate) fn header(&self, start: u32, end: u32) -> Spanned<String> {
        self.name(start + 1, end - 1)
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
        let span = Span { start, end };
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
        (!include.is_empty()).then_some(EventSet { include, except, span: Span { start, end } })
    }

    pub(crate) fn missing_semicolon(&mut self, at: u32) {
        self.recovered.push(SyntaxErrorKind::MissingSemicolon, Span { start: at, end: at });
        self.enough.set(self.recovered.is_full());
    }

    pub(crate) fn missing_comma(&mut self, at: u32) {
        self.recovered.push(SyntaxErrorKind::MissingComma, Span { start: at, end: at });
        self.enough.set(self.recovered.is_full());
    }

    pub(crate) fn wrong_separator(&mut self, start: u32, end: u32) {
        self.recovered.push(SyntaxErrorKind::WrongSeparator, Span { start, end });
        self.enough.set(self.recovered.is_full());
    }

    // Definitions

    /// The parts of a definition: the first of each counts.
    pub(crate) fn event_body(&self, parts: Vec<Spanned<Part>>) -> EventBody {
        let mut body = EventBody::default();
        for Spanned { value, span } in parts {
            let (word, is_new) = match value {
                Part::Proto(params) => ("proto", set(&mut body.proto, Spanned::new(params, span))),
                Part::Entry(fields) => ("entry", set(&mut body.entry, Spanned::new(fields, span))),
                Part::Assign(code) => ("assign", set(&mut body.assign, code)),
                Part::Print(template) => ("print", set(&mut body.print, template)),
            };
            if !is_new {
                body.repeated.push(part_word(word, span));
            }
        }
        body
    }

    /// An event of a class, whose only part may be its text.
    pub(crate) fn event_of_class(
        &mut self,
        name: Name,
        class: Name,
        tails: Vec<ClassTail>,
        parts: Vec<Spanned<Part>>,
    ) -> EventDefinition {
        let (mut condition, mut hooks, mut print) = (None, None, None);
        for tail in tails {
            match tail {
                ClassTail::Condition(expr) if condition.is_none() => condition = Some(expr),
                ClassTail::Hooks(functions) if hooks.is_none() => hooks = Some(functions),
                ClassTail::Condition(expr) => self.repeated("if", self.exprs[expr].span),
                ClassTail::Hooks(functions) => self.repeated("with", functions.span),
            }
        }
        for Spanned { value, span } in parts {
            let word = match value {
                Part::Print(template) if print.is_none() => {
                    print = Some(template);
                    continue;
                }
                Part::Print(_) => {
                    self.repeated("print", part_word("print", span).span);
                    continue;
                }
                Part::Proto(_) => "proto",
                Part::Entry(_) => "entry",
                Part::Assign(_) => "assign",
            };
            self.errors.push(SyntaxErrorKind::MisplacedPart { word }, part_word(word, span).span);
        }
        EventDefinition { name, form: EventForm::OfClass { class, condition, hooks, print } }
    }

    fn repeated(&mut self, word: &'static str, span: Span) {
        self.errors.push(SyntaxErrorKind::RepeatedPart { word }, span);
    }

    /// `KIND TARGET (..) -> (..)`; of `event`, the target is another event.
    pub(crate) fn probe_head(
        &self,
        kind: Name,
        target: ProbeTarget,
        params: Option<(u32, Vec<Param>, u32)>,
        result: Option<Option<Param>>,
    ) -> Probe {
        let target = match target {
            ProbeTarget::Symbol { module, symbol, offset: None } if kind.value == "event" => {
                ProbeTarget::Event(event_path(module, symbol))
            }
            other => other,
        };
        let params = params.map(|(start, params, end)| Spanned::new(params, Span { start, end }));
        Probe { kind, target, params, result: result.flatten(), fields: None, print: None }
    }

    pub(crate) fn probe(
        &self,
        name: Name,
        probe: Probe,
        (fields, print): (Vec<ProbeField>, Option<Template>),
        start: u32,
        end: u32,
    ) -> EventDefinition {
        let fields = Some(Spanned::new(fields, Span { start, end }));
        EventDefinition { name, form: EventForm::At(Probe { fields, print, ..probe }) }
    }

    // Types

    pub(crate) fn type_ref(
        &self,
        pointers: Vec<Spanned<Pointer>>,
        base: TypeBase,
        array: Option<Spanned<Option<ExprId>>>,
        start: u32,
        end: u32,
    ) -> TypeRef {
        TypeRef { pointers, base, array, span: Span { start, end } }
    }

    /// A `*` with one more word behind it, which ends at `end`.
    pub(crate) fn pointer(&self, star: Spanned<Pointer>, end: u32, word: Pointer) -> Spanned<Pointer> {
        let Spanned { value, span } = star;
        let user = value.user || word.user;
        let constant = value.constant || word.constant;
        Spanned::new(Pointer { user, constant }, Span { end, ..span })
    }

    // Recovery

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

    pub(crate) fn infix(
        &mut self,
        left: ExprId,
        op: BinaryOp,
        start: u32,
        end: u32,
        right: ExprId,
    ) -> ExprId {
        self.binary(left, Spanned::new(op, Span { start, end }), right)
    }

    pub(crate) fn arrow(&mut self, base: ExprId, member: Name) -> ExprId {
        let Expr { span, depth, .. } = self.exprs[base];
        let place = member.span;
        self.node(ExprKind::Arrow { base, member }, span.to(place), depth, place)
    }

    /// `base[index]`, whose bracket ends at `end`.
    pub(crate) fn index(&mut self, base: ExprId, index: ExprId, end: u32) -> ExprId {
        let (span, below) = self.extent(&[base, index]);
        let place = self.exprs[index].span;
        self.node(ExprKind::Index { base, index }, Span { end, ..span }, below, place)
    }

    /// `function(args)`, whose parenthesis ends at `end`.
    pub(crate) fn call(&mut self, function: ExprId, args: Vec<ExprId>, end: u32) -> ExprId {
        let Expr { span, depth, ref kind } = self.exprs[function];
        // The operator of other languages, and a parenthesis behind it.
        if matches!(kind, ExprKind::Name(name) if name == "not") {
            let kind = SyntaxErrorKind::WrongOperator { found: "not".to_owned(), instead: "!" };
            self.errors.push(kind, span);
        }
        let (_, below) = self.extent(&args);
        let place = Span { start: span.end, end };
        self.node(ExprKind::Call { function, args }, Span { end, ..span }, depth.max(below), place)
    }

    pub(crate) fn cast(&mut self, operand: ExprId, start: u32, end: u32, ty: TypeRef) -> ExprId {
        let Expr { span, depth, .. } = self.exprs[operand];
        let whole = span.to(ty.span);
        self.node(ExprKind::Cast { operand, ty }, whole, depth, Span { start, end })
    }

    /// `operand in {members}`, whose brace ends at `end`.
    pub(crate) fn membership(
        &mut self,
        operand: ExprId,
        word: Span,
        members: Vec<SetMember>,
        end: u32,
    ) -> ExprId {
        let mut operands = vec![operand];
        for member in &members {
            match *member {
                SetMember::One(value) => operands.push(value),
                SetMember::Range { first, last } => operands.extend([first, last]),
            }
        }
        let (span, below) = self.extent(&operands);
        self.node(ExprKind::In { operand, members, word }, Span { end, ..span }, below, word)
    }

    pub(crate) fn address(&mut self, start: u32, end: u32) -> ExprId {
        match self.literals.address(start) {
            Some(address) => self.leaf(ExprKind::Address(address), start, end),
            None => self.error(start, end),
        }
    }

    pub(crate) fn cpus(&mut self, start: u32, end: u32) -> ExprId {
        let ranges = self.literals.take_cpus(start).unwrap_or_default();
        self.leaf(ExprKind::Cpus(ranges), start, end)
    }

    /// `a..b`.
    pub(crate) fn wrong_range(&mut self, start: u32, end: u32) {
        let kind = SyntaxErrorKind::WrongOperator { found: "..".to_owned(), instead: "..=" };
        self.errors.push(kind, Span { start, end });
    }

    /// `condition ? then : otherwise`, whose `?` stands at `start`.
    pub(crate) fn choose(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        start: u32,
        end: u32,
    ) -> ExprId {
        let place = Span { start, end };
        self.choices.push(place);
        let (span, below) = self.extent(&[condition, then, otherwise]);
        self.node(ExprKind::Choose { condition, then, otherwise }, span, below, place)
    }

    /// What has been read is a value of a template or of an entry, which may choose.
    pub(crate) fn allow_choices(&mut self) {
        self.choices.clear();
    }

    /// What has been read is none: its choices are one mistake.
    pub(crate) fn refuse_choices(&mut self) {
        let first = self.choices.drain(..).min_by_key(|place| place.start);
        if let Some(place) = first {
            self.errors.push(SyntaxErrorKind::MisplacedChoice, place);
        }
    }

    /// `a < b < c`, where `left` is the first comparison and `op` the second operator.
    pub(crate) fn chained(&mut self, left: ExprId, op: Span, right: ExprId) -> ExprId {
        match self.tight_operator(left) {
            Some((op, instead)) => {
                let found = op.value.symbol().to_owned();
                self.errors.push(SyntaxErrorKind::WrongOperator { found, instead }, op.span);
            }
            None => self.errors.push(SyntaxErrorKind::ChainedComparison, op),
        }
        self.chain_on(left, right)
    }

    /// The `|` of `a == 1 | b == 2`, which binds tighter than `==`, and what was meant by it.
    fn tight_operator(&self, comparison: ExprId) -> Option<(Spanned<BinaryOp>, &'static str)> {
        let ExprKind::Binary { right, .. } = &self.exprs[comparison].kind else { return None };
        let Expr { kind: ExprKind::Binary { op, left, right }, span, .. } = &self.exprs[*right] else {
            return None;
        };
        let bare = *span == self.exprs[*left].span.to(self.exprs[*right].span);
        match op.value {
            BinaryOp::BitOr if bare => Some((op.clone(), "||")),
            BinaryOp::BitAnd if bare => Some((op.clone(), "&&")),
            _ => None,
        }
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

/// Fills `place` unless it is filled, and says whether it did.
fn set<T>(place: &mut Option<T>, value: T) -> bool {
    let is_new = place.is_none();
    place.get_or_insert(value);
    is_new
}

/// The word at the start of a part.
fn part_word(word: &str, part: Span) -> Name {
    let end = part.start + word.len() as u32;
    Spanned::new(word.to_owned(), Span { start: part.start, end })
}

fn event_path(system: Option<Name>, name: Name) -> EventPath {
    match system {
        Some(system) => {
            let span = system.span.to(name.span);
            let (system, name) = (Some(system), Some(name));
            EventPath { kind: EventPathKind::Path { system, name }, span }
        }
        None => EventPath { span: name.span, kind: EventPathKind::Bare(name.value) },
    }
}

/// The elements of a list that were understood.
pub(crate) fn known<T>(list: Vec<Option<T>>) -> Vec<T> {
    list.into_iter().flatten().collect()
}
