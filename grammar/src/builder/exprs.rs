//! Construction of expressions: each node with its span and its depth.

use super::Builder;
use crate::error::SyntaxErrorKind;
use crate::foreign;
use crate::limits::MAX_DEPTH;
use crate::span::{Span, Spanned};
use crate::syntax::*;

impl Builder<'_> {
    /// Adds an expression with operands, the deepest of which has `below` levels; `place` is the span to report if the
    /// expression is too deep.
    fn node(&mut self, kind: ExprKind, span: Span, below: u32, at: Span) -> ExprId {
        if below < MAX_DEPTH {
            return self.exprs.push(Expr { kind, span, depth: below + 1 });
        }
        let known = self.too_deep.is_some_and(|deep| span.start <= deep.start && deep.end <= span.end);
        if !known {
            self.errors.push(SyntaxErrorKind::TooDeep, at);
        }
        self.too_deep = Some(span);
        self.exprs.push(Expr { kind: ExprKind::Error, span, depth: 1 })
    }

    pub(crate) fn leaf(&mut self, kind: ExprKind, start: u32, end: u32) -> ExprId {
        self.exprs.push(Expr { kind, span: self.span(start, end), depth: 1 })
    }

    pub(crate) fn error(&mut self, start: u32, end: u32) -> ExprId {
        self.leaf(ExprKind::Error, start, end)
    }

    pub(crate) fn parenthesised(&mut self, inner: ExprId, start: u32, end: u32) -> ExprId {
        self.exprs.set_span(inner, self.span(start, end));
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

    /// Returns the span of the operands, and the depth of the deepest.
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
        // The `!` of `=!` belongs to the operator, but was also parsed as a prefix of the operand.
        if op.span.end > self.exprs[right].span.start {
            return match self.exprs[right].kind {
                ExprKind::Unary { operand, .. } => self.binary(left, op, operand),
                _ => self.error(span.start, span.end),
            };
        }
        let at = op.span;
        self.node(ExprKind::Binary { op, left, right }, span, below, at)
    }

    pub(crate) fn unary(&mut self, op: UnaryOp, start: u32, end: u32, operand: ExprId) -> ExprId {
        let at = self.span(start, end);
        let Expr { span, depth, .. } = self.exprs[operand];
        let op = Spanned::new(op, at);
        self.node(ExprKind::Unary { op, operand }, at.to(span), depth, at)
    }

    pub(crate) fn member(&mut self, base: ExprId, member: Name) -> ExprId {
        let Expr { span, depth, .. } = self.exprs[base];
        let at = member.span;
        self.node(ExprKind::Member { base, member }, span.to(at), depth, at)
    }

    pub(crate) fn infix(
        &mut self,
        left: ExprId,
        op: BinaryOp,
        start: u32,
        end: u32,
        right: ExprId,
    ) -> ExprId {
        // `bash-5.2`: a word followed by an invalid number is one mistake, not also an unknown name.
        let (before, behind) = (&self.exprs[left], &self.exprs[right]);
        let is_one_word = before.span.end == start && behind.span.start == end;
        if is_one_word && matches!((&before.kind, &behind.kind), (ExprKind::Name(_), ExprKind::Error)) {
            let span = before.span.to(behind.span);
            return self.error(span.start, span.end);
        }
        self.binary(left, Spanned::new(op, self.span(start, end)), right)
    }

    pub(crate) fn arrow(&mut self, base: ExprId, member: Name) -> ExprId {
        let Expr { span, depth, .. } = self.exprs[base];
        let at = member.span;
        self.node(ExprKind::Arrow { base, member }, span.to(at), depth, at)
    }

    /// Builds `base[index]`, whose bracket ends at `end`.
    pub(crate) fn index(&mut self, base: ExprId, index: ExprId, end: u32) -> ExprId {
        let (span, below) = self.extent(&[base, index]);
        let at = self.exprs[index].span;
        self.node(ExprKind::Index { base, index }, Span { end, ..span }, below, at)
    }

    /// Builds `function(args)`, whose parenthesis ends at `end`.
    pub(crate) fn call(&mut self, function: ExprId, args: Vec<ExprId>, end: u32) -> ExprId {
        let Expr { span, depth, ref kind } = self.exprs[function];
        // The operator of other languages, followed by a parenthesis.
        if matches!(kind, ExprKind::Name(name) if name == "not") {
            let whole = Span { end, ..span };
            let name = args.first().filter(|_| args.len() == 1).and_then(|operand| self.bare_name(*operand));
            let negated = name.map(|name| (whole, format!("!{name}")));
            // How a name is negated depends on its type: the fix says it, and nothing else is said.
            let is_name = negated.is_some();
            self.errors.push(SyntaxErrorKind::NotAsWord { negated }, span);
            return match args.as_slice() {
                [operand] if !is_name => {
                    let negation = self.unary(UnaryOp::Not, span.start, span.end, *operand);
                    self.exprs.set_span(negation, whole);
                    negation
                }
                _ => self.error(span.start, end),
            };
        }
        let (_, below) = self.extent(&args);
        let at = Span { start: span.end, end, ..span };
        self.node(ExprKind::Call { function, args }, Span { end, ..span }, depth.max(below), at)
    }

    /// Returns the name that an expression is.
    fn bare_name(&self, id: ExprId) -> Option<&str> {
        match &self.exprs[id].kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn cast(&mut self, operand: ExprId, start: u32, end: u32, ty: TypeRef) -> ExprId {
        let Expr { span, depth, .. } = self.exprs[operand];
        let whole = span.to(ty.span);
        self.node(ExprKind::Cast { operand, ty: Box::new(ty) }, whole, depth, self.span(start, end))
    }

    /// Builds `operand in {members}`, whose brace ends at `end`.
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

    /// Builds `{patterns}` behind `~` or `!~`.
    pub(crate) fn patterns(&mut self, patterns: Vec<ExprId>, start: u32, end: u32) -> ExprId {
        let (span, (_, below)) = (self.span(start, end), self.extent(&patterns));
        self.node(ExprKind::Patterns(patterns), span, below, span)
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

    /// Reports `a..b`.
    pub(crate) fn wrong_range(&mut self, start: u32, end: u32) {
        let kind = SyntaxErrorKind::WrongOperator { found: "..".to_owned(), instead: "..=" };
        self.errors.push(kind, self.span(start, end));
    }

    /// Builds `condition ? then : otherwise`, whose `?` is at `start`.
    pub(crate) fn choose(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        start: u32,
        end: u32,
    ) -> ExprId {
        let at = self.span(start, end);
        self.choices.push(at);
        let (span, below) = self.extent(&[condition, then, otherwise]);
        self.node(ExprKind::Choose { condition, then, otherwise }, span, below, at)
    }

    /// Accepts the choices of the value that has been parsed: one of a template or of an entry.
    pub(crate) fn allow_choices(&mut self) {
        self.choices.clear();
    }

    /// Reports the choices of a value elsewhere, as one mistake.
    pub(crate) fn refuse_choices(&mut self) {
        let first = self.choices.drain(..).min_by_key(|at| at.start);
        if let Some(at) = first {
            self.errors.push(SyntaxErrorKind::MisplacedChoice, at);
        }
    }

    /// Reports `a < b < c`, where `left` is the first comparison and `op` the second operator; `in_set` if that is
    /// `in`, whose set is not an expression.
    pub(crate) fn chained(&mut self, left: ExprId, op: Span, right: ExprId, in_set: bool) -> ExprId {
        match self.tight_operator(left) {
            Some((op, instead)) => {
                let found = op.value.symbol().to_owned();
                self.errors.push(SyntaxErrorKind::WrongOperator { found, instead }, op.span);
            }
            None => {
                let joined = if in_set { None } else { self.joined(left, op, right) };
                self.errors.push(SyntaxErrorKind::ChainedComparison { joined }, op);
            }
        }
        self.chain_on(left, right)
    }

    /// Returns `a < b && b < c` for the chain `a < b < c`, with its span.
    fn joined(&self, left: ExprId, op: Span, right: ExprId) -> Option<(Span, String)> {
        const LONGEST: u32 = 200;
        let (first, last) = (&self.exprs[left], &self.exprs[right]);
        let ExprKind::Binary { op: compared, left: operand, right: middle } = &first.kind else {
            return None;
        };
        let (operand, middle) = (&self.exprs[*operand], &self.exprs[*middle]);
        let whole = first.span.to(last.span);
        // A span with parentheses around the first comparison, or a part that is not a plain value.
        let is_plain = |kind: &ExprKind| !matches!(kind, ExprKind::Error | ExprKind::Patterns(_));
        if middle.span.end != first.span.end || !is_plain(&middle.kind) || !is_plain(&last.kind) {
            return None;
        }
        let text = |span: Span| self.source.slice(span);
        let is_literal =
            |kind: &ExprKind| matches!(kind, ExprKind::Int(_) | ExprKind::Str(_) | ExprKind::Size(_));
        // `x > 1 < 5` compares what it begins with, which has one value at most.
        let shared = match is_literal(&middle.kind) {
            true if compared.value == BinaryOp::Eq || is_literal(&operand.kind) => return None,
            true => operand,
            false => middle,
        };
        let joined =
            format!("{} && {} {} {}", text(first.span), text(shared.span), text(op), text(last.span));
        (whole.end - whole.start <= LONGEST).then_some((whole, joined))
    }

    /// Returns the `|` of `a == 1 | b == 2`, which binds tighter than `==`, and the operator that was meant.
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

    /// Builds a further comparison of a chain that has been reported.
    pub(crate) fn chain_on(&mut self, left: ExprId, right: ExprId) -> ExprId {
        let (span, _) = self.extent(&[left, right]);
        self.error(span.start, span.end)
    }

    /// Reports an operator of another language, and returns the one that was meant.
    pub(crate) fn foreign_operator(&mut self, start: u32, end: u32) -> Spanned<BinaryOp> {
        let behind = self.span(end, end + 1);
        let is_negated = self.source.slice(self.span(start, end)) == "=" && self.source.slice(behind) == "!";
        let span = self.span(start, if is_negated { behind.end } else { end });
        let found = self.source.slice(span);
        if matches!(found, "=~" | "~=")
            && let Some(whole) = self.regular_expression(span)
        {
            // What follows is a part of the mistake, and not also a pattern.
            return Spanned::new(BinaryOp::Match, whole);
        }
        let compact: String = found.split_whitespace().collect();
        let (instead, op) = match compact.as_str() {
            "=!" | "!==" | "<>" | "><" => ("!=", BinaryOp::Ne),
            "!=" => ("!=", BinaryOp::Ne),
            "=<" | "<=" => ("<=", BinaryOp::Le),
            "=>" | ">=" => (">=", BinaryOp::Ge),
            "=~" | "~=" => ("~", BinaryOp::Match),
            _ => ("==", BinaryOp::Eq),
        };
        self.errors.push(SyntaxErrorKind::WrongOperator { found: found.to_owned(), instead }, span);
        Spanned::new(op, span)
    }

    /// Reports `=~ "regular expression"`, whose operator is at `op`, with its translation. `None` where no string
    /// follows.
    fn regular_expression(&mut self, op: Span) -> Option<Span> {
        let rest = self.source.slice(Span { start: op.end, ..self.source.end() });
        let (blanks, quoted) =
            (rest.len() - rest.trim_start_matches(' ').len(), rest.trim_start_matches(' '));
        let content = quoted.strip_prefix('"')?;
        let content = &content[..content.find(['"', '\n']).filter(|end| content[*end..].starts_with('"'))?];
        let whole = Span { end: op.end + (blanks + content.len() + 2) as u32, ..op };
        let is_plain = !content.is_empty() && !content.contains('\\');
        let meaning = foreign::pattern::regular_expression(content);
        let wider = meaning.as_ref().is_ok_and(|set| set.wider);
        let (translated, why) = match meaning {
            Ok(set) if is_plain => (Some((whole, set.comparison())), None),
            translated => (None, translated.err()),
        };
        let is_pattern = is_plain
            && content.contains('*')
            && !content.contains(".*")
            && foreign::pattern::foreign_pattern(content, true).is_none();
        let as_pattern = is_pattern.then(|| format!("~ \"{content}\""));
        let kind = SyntaxErrorKind::RegularExpression {
            op: self.source.slice(op).to_owned(),
            translated,
            wider,
            as_pattern,
            why,
        };
        self.errors.push(kind, op);
        Some(whole)
    }
}
