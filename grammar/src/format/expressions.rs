//! Formatting of expressions and types.

use pretty::DocAllocator;

use crate::span::Span;
use crate::syntax::*;

use super::gaps::Gap;
use super::parentheses::{self, ExprContext};
use super::rows::{PARENTHESES, VALUES};
use super::{Doc, Formatter, LEVEL};

impl<'a> Formatter<'a> {
    /// Formats a whole condition, value or argument; its further lines are indented by `indent`. If it ends in a list,
    /// the closing bracket is not.
    pub(super) fn value(&mut self, gap: Gap, id: ExprId, indent: isize) -> Doc<'a> {
        let value = self.operand(gap, id).group();
        if self.ends_in_list(id) { value } else { value.nest(indent) }
    }

    fn ends_in_list(&self, id: ExprId) -> bool {
        match self.expr(id).kind {
            ExprKind::Call { .. } | ExprKind::In { .. } => true,
            ExprKind::Binary { right, .. } => matches!(self.expr(right).kind, ExprKind::Patterns(_)),
            _ => false,
        }
    }

    /// Formats an expression as an operand, with the parentheses that stay.
    pub(super) fn operand(&mut self, gap: Gap, id: ExprId) -> Doc<'a> {
        let expr = self.expr(id);
        let context = self.contexts.get(id.0 as usize).copied().unwrap_or(ExprContext::Whole);
        let begin = parentheses::begin(&self.file.exprs, expr);
        let mut open = Vec::new();
        while self.cursor.peek().starts_with('(') && begin.is_none_or(|begin| self.cursor.at() < begin) {
            open.push(self.token(if open.is_empty() { gap } else { Gap::Open }, "("));
        }
        let bare = self.bare(if open.is_empty() { gap } else { Gap::Open }, expr);
        if open.is_empty() && is_broken_alone(context, &expr.kind) {
            return bare.nest(LEVEL).group();
        }
        open.into_iter().rev().fold(bare, |inner, open| {
            open.append(inner.nest(LEVEL)).append(self.token(Gap::Close, ")")).group()
        })
    }

    /// Formats an expression without the parentheses around it.
    fn bare(&mut self, gap: Gap, expr: &'a Expr) -> Doc<'a> {
        match &expr.kind {
            ExprKind::Error
            | ExprKind::Int(_)
            | ExprKind::Size(_)
            | ExprKind::Duration(_)
            | ExprKind::Str(_)
            | ExprKind::Address(_)
            | ExprKind::Cpus(_)
            | ExprKind::Name(_) => self.leaf(gap, expr.span),
            ExprKind::Path(names) => self.path(gap, names),
            ExprKind::Member { base, member } => self.postfix(gap, *base, ".", member),
            ExprKind::Arrow { base, member } => self.postfix(gap, *base, "->", member),
            ExprKind::Index { base, index } => {
                let base = self.operand(gap, *base);
                let open = self.token(Gap::Tight, "[");
                let index = self.value(Gap::Open, *index, LEVEL);
                base.append(open).append(index).append(self.token(Gap::Close, "]"))
            }
            ExprKind::Call { function, args } => {
                let function = self.operand(gap, *function);
                function.append(
                    self.list(Gap::Tight, PARENTHESES, args, |this, arg| this.value(Gap::Open, *arg, LEVEL)),
                )
            }
            ExprKind::Cast { operand, ty } => {
                let operand = self.operand(gap, *operand);
                operand.append(self.token(Gap::Space, "as")).append(self.ty(Gap::Space, ty))
            }
            ExprKind::In { operand, members, .. } => {
                let operand = self.operand(gap, *operand);
                let word = self.token(Gap::Space, "in");
                operand.append(word).append(self.list(Gap::Space, VALUES, members, Self::member))
            }
            ExprKind::Patterns(patterns) => {
                self.list(gap, VALUES, patterns, |this, pattern| this.operand(Gap::Tight, *pattern))
            }
            ExprKind::Choose { condition, then, otherwise } => {
                self.choose(gap, *condition, *then, *otherwise)
            }
            ExprKind::Unary { op, operand } => self.unary(gap, op.value, *operand),
            ExprKind::Binary { op, left, right } => self.binary(gap, op.value, *left, *right),
            ExprKind::And(operands) => self.chain(gap, operands, "&&"),
            ExprKind::Or(operands) => self.chain(gap, operands, "||"),
        }
    }

    /// Formats a single token that has only parentheses, blanks and comments between itself and the end of `span`.
    fn leaf(&mut self, gap: Gap, span: Span) -> Doc<'a> {
        let gap = self.gap(gap);
        let end = self.cursor.end_of_leaf(span.range().end);
        gap.append(self.arena.text(self.cursor.take(end)))
    }

    /// Formats `a::b`.
    pub(super) fn path(&mut self, gap: Gap, names: &[Name]) -> Doc<'a> {
        let mut doc = self.arena.nil();
        for (index, name) in names.iter().enumerate() {
            if index == 0 {
                doc = self.copy(gap, name.span);
            } else {
                doc = doc.append(self.token(Gap::Tight, "::")).append(self.copy(Gap::Tight, name.span));
            }
        }
        doc
    }

    fn postfix(&mut self, gap: Gap, base: ExprId, sign: &str, member: &Name) -> Doc<'a> {
        let base = self.operand(gap, base);
        base.append(self.token(Gap::Tight, sign)).append(self.copy(Gap::Tight, member.span))
    }

    /// Formats `a` or `a..=b` in a set.
    fn member(&mut self, member: &SetMember) -> Doc<'a> {
        match *member {
            SetMember::One(value) => self.operand(Gap::Tight, value),
            SetMember::Range { first, last } => {
                let first = self.operand(Gap::Tight, first);
                let sign = self.token(Gap::Tight, "..=");
                first.append(sign).append(self.operand(Gap::Tight, last))
            }
        }
    }

    fn choose(&mut self, gap: Gap, condition: ExprId, then: ExprId, otherwise: ExprId) -> Doc<'a> {
        let condition = self.operand(gap, condition);
        let question = self.token(Gap::Line, "?");
        let then = self.operand(Gap::Space, then);
        let colon = self.token(Gap::Line, ":");
        let otherwise = self.operand(Gap::Space, otherwise);
        condition.append(question).append(then).append(colon).append(otherwise)
    }

    fn unary(&mut self, gap: Gap, op: UnaryOp, operand: ExprId) -> Doc<'a> {
        let sign = match op {
            UnaryOp::Not => "!",
            UnaryOp::Neg => "-",
            UnaryOp::AddressOf => "&",
            UnaryOp::Deref => "*",
        };
        let sign = self.token(gap, sign);
        // `& &x` would be another token without the blank, and `- -x` would be confusing.
        let again = match (op, &self.expr(operand).kind) {
            (UnaryOp::AddressOf | UnaryOp::Neg, ExprKind::Unary { op: inner, .. }) => inner.value == op,
            _ => false,
        };
        let gap = if again && !self.cursor.peek().starts_with('(') { Gap::Space } else { Gap::Tight };
        sign.append(self.operand(gap, operand))
    }

    fn binary(&mut self, gap: Gap, op: BinaryOp, left: ExprId, right: ExprId) -> Doc<'a> {
        let before = if self.in_length || parentheses::is_comparison(op) { Gap::Space } else { Gap::Line };
        let left = self.operand(gap, left);
        let sign = self.token(before, op.symbol());
        left.append(sign).append(self.operand(Gap::Space, right))
    }

    /// Formats `a && b && c`.
    fn chain(&mut self, gap: Gap, operands: &[ExprId], sign: &str) -> Doc<'a> {
        let mut doc = self.arena.nil();
        for (index, operand) in operands.iter().enumerate() {
            if index == 0 {
                doc = self.operand(gap, *operand);
            } else {
                doc = doc.append(self.token(Gap::Line, sign));
                doc = doc.append(self.operand(Gap::Space, *operand));
            }
        }
        doc
    }

    // Types

    /// Formats `*user char`, `unsigned long`, `char[16]`.
    pub(super) fn ty(&mut self, gap: Gap, ty: &TypeRef) -> Doc<'a> {
        let mut doc = self.arena.nil();
        let mut gap = gap;
        // A fetch type of the kernel may contain signs: `b3@0/32`.
        if let (TypeBase::Words(words), []) = (&ty.base, ty.pointers.as_slice())
            && let [word] = words.as_slice()
        {
            doc = self.copy(gap, word.span);
            gap = Gap::Space;
        }
        while self.cursor.at() < ty.span.range().end {
            let rest = self.cursor.peek();
            if rest.starts_with("::") {
                doc = doc.append(self.token(Gap::Tight, "::"));
                gap = Gap::Tight;
                continue;
            }
            let word = rest.len() - rest.trim_start_matches(is_word).len();
            if rest.starts_with('[') || (word == 0 && !rest.starts_with('*')) {
                break;
            }
            doc = doc.append(self.verbatim(gap, self.cursor.at() + word.max(1)));
            gap = if word == 0 { Gap::Tight } else { Gap::Space };
        }
        let Some(array) = &ty.array else {
            return doc;
        };
        doc = doc.append(self.token(Gap::Tight, "["));
        if let Some(length) = array.value {
            self.in_length = true;
            doc = doc.append(self.value(Gap::Open, length, LEVEL));
            self.in_length = false;
        }
        doc.append(self.token(Gap::Close, "]"))
    }

    /// Formats `: TYPE`, if there is one.
    pub(super) fn type_of(&mut self, ty: &Option<TypeRef>) -> Doc<'a> {
        match ty {
            None => self.arena.nil(),
            Some(ty) => self.token(Gap::Tight, ":").append(self.ty(Gap::Space, ty)),
        }
    }

    /// Formats `name: type`.
    pub(super) fn param(&mut self, gap: Gap, param: &Param) -> Doc<'a> {
        let name = self.copy(gap, param.name.span);
        name.append(self.token(Gap::Tight, ":")).append(self.ty(Gap::Space, &param.ty))
    }

    /// Formats ` = VALUE`.
    pub(super) fn assigned(&mut self, id: ExprId) -> Doc<'a> {
        let gap = if self.ends_in_list(id) { Gap::Space } else { Gap::Soft };
        self.token(Gap::Space, "=").append(self.value(gap, id, LEVEL))
    }
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

/// Returns whether an operand without parentheses is broken independently of the expression that contains it.
fn is_broken_alone(context: ExprContext, kind: &ExprKind) -> bool {
    match (context, kind) {
        (ExprContext::Whole | ExprContext::Required, _) => false,
        (ExprContext::Left(outer), ExprKind::Binary { op, .. }) => parentheses::precedence(op.value) != outer,
        (_, ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Choose { .. }) => true,
        (_, ExprKind::Binary { op, .. }) => !parentheses::is_comparison(op.value),
        _ => false,
    }
}
