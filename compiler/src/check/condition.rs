//! One condition, typed against one event.

mod compare;
mod operand;

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, Exprs, Name, UnaryOp};
use tracec_kernel::condition::ir::{CompareOp, Condition, Operand};
use tracec_kernel::format::{EventFormat, FieldKind};
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::resolve::{FormatId, Formats, Precision};

use super::literal::Literal;
use compare::flipped;
use operand::{Class, Side, Target};

/// What a condition is about.
pub(super) struct Subject<'a> {
    /// The event.
    pub(super) event: &'a EventFormat,
    /// All events of the clause.
    pub(super) group: &'a [(FormatId, Precision)],
    /// Their layouts.
    pub(super) formats: &'a Formats,
    /// Where they are named.
    pub(super) set: Span,
}

/// Types a condition. `None` if it has mistakes; they have been reported.
pub(super) fn check(
    id: ExprId,
    exprs: &Exprs,
    subject: &Subject<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Condition> {
    Checker { exprs, subject, diagnostics }.condition(id)
}

struct Checker<'a> {
    exprs: &'a Exprs,
    subject: &'a Subject<'a>,
    diagnostics: &'a mut Diagnostics,
}

impl Checker<'_> {
    /// An expression where a condition is due.
    fn condition(&mut self, id: ExprId) -> Option<Condition> {
        if self.diagnostics.is_full() {
            return None;
        }
        let expr = &self.exprs[id];
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::And(parts) => self.all(parts).map(Condition::And),
            ExprKind::Or(parts) => self.all(parts).map(Condition::Or),
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Not => self.not(op.span, *operand, false),
            ExprKind::Binary { op, left, right } if op.value == BinaryOp::BitAnd => {
                match self.masked(*left, *right, op.span)? {
                    Side::Masked(target, mask) => Some(Condition::AnyBit { operand: target.operand, mask }),
                    _ => None,
                }
            }
            ExprKind::Binary { op, left, right } => self.comparison(op.value, op.span, *left, *right),
            ExprKind::Name(_) | ExprKind::Member { .. } => self.truth(id),
            _ => {
                let is = Literal::of(expr, self.exprs).map_or("this", |literal| literal.describe());
                self.say(codes::not_a_condition::not_a_condition(expr.span, is))
            }
        }
    }

    /// Every part, so that each mistake is found.
    fn all(&mut self, parts: &[ExprId]) -> Option<Vec<Condition>> {
        let typed: Vec<Option<Condition>> = parts.iter().map(|&part| self.condition(part)).collect();
        typed.into_iter().collect()
    }

    /// `!x`; `negated` where another `!` stands before it.
    fn not(&mut self, op: Span, operand: ExprId, negated: bool) -> Option<Condition> {
        let exprs = self.exprs;
        let inner = &exprs[operand];
        if let ExprKind::Unary { op, operand } = &inner.kind
            && op.value == UnaryOp::Not
        {
            return self.not(op.span, *operand, true).map(|condition| Condition::Not(Box::new(condition)));
        }
        if is_integer_expression(inner)
            && let Some(Side::Operand(target) | Side::Masked(target, _)) = self.side(operand)
        {
            if target.class() == Class::Text {
                return self.say(codes::not_a_condition::not_a_condition(inner.span, "text"));
            }
            let text = render(inner, exprs);
            return self.say(codes::not_on_integer::alone(inner.span, &text, op, negated));
        }
        self.condition(operand).map(|condition| Condition::Not(Box::new(condition)))
    }

    /// An operand alone: not zero.
    fn truth(&mut self, id: ExprId) -> Option<Condition> {
        let target = match self.side(id)? {
            Side::Operand(target) => target,
            Side::Word(word, span) => return self.unknown(&word, span),
            Side::Masked(..) | Side::Literal(..) => return None,
        };
        match target.class() {
            Class::Integer | Class::Cpu => {
                Some(Condition::Compare { operand: target.operand, op: CompareOp::Ne, value: 0 })
            }
            Class::Text => self.say(codes::not_a_condition::not_a_condition(target.span, "text")),
            Class::Nothing => self.not_filterable(&target),
        }
    }

    fn comparison(&mut self, op: BinaryOp, op_span: Span, left: ExprId, right: ExprId) -> Option<Condition> {
        let span = self.exprs[left].span.to(self.exprs[right].span);
        let left = match &self.exprs[left].kind {
            // Parentheses would say that `!a` is meant.
            ExprKind::Unary { op, operand }
                if op.value == UnaryOp::Not && op.span.start == self.exprs[left].span.start =>
            {
                self.negated_operand(op.span, *operand, Some(span))
            }
            _ => self.side(left),
        };
        match (left?, self.side(right)?) {
            (Side::Operand(target), Side::Literal(literal, at)) => {
                self.compare(target, op, op_span, literal, at)
            }
            (Side::Literal(literal, at), Side::Operand(target))
                if !matches!(op, BinaryOp::Match | BinaryOp::NotMatch) =>
            {
                self.compare(target, flipped(op), op_span, literal, at)
            }
            (Side::Masked(target, mask), Side::Literal(literal, at))
            | (Side::Literal(literal, at), Side::Masked(target, mask)) => {
                self.masked_compare(target, mask, op, op_span, &literal, at)
            }
            (Side::Operand(target), Side::Word(word, at)) | (Side::Word(word, at), Side::Operand(target))
                if target.class() == Class::Text =>
            {
                let near = self.nearest_names(&word);
                self.say(codes::missing_quotes::missing_quotes(at, &word, &target.name, &near))
            }
            (Side::Word(word, at), _) | (_, Side::Word(word, at)) => self.unknown(&word, at),
            (Side::Literal(..), Side::Literal(..)) => {
                self.say(codes::no_comparand::no_comparand(span, "two constants"))
            }
            (Side::Literal(..), _) => {
                self.say(codes::no_comparand::no_comparand(span, "a pattern with a field; turn it round"))
            }
            _ => self.say(codes::no_comparand::no_comparand(span, "two fields")),
        }
    }

    /// One side of a comparison. `None` has been reported.
    fn side(&mut self, id: ExprId) -> Option<Side> {
        let exprs = self.exprs;
        let expr = &exprs[id];
        if let Some(literal) = Literal::of(expr, exprs) {
            return Some(Side::Literal(literal, expr.span));
        }
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::Name(name) => self.name(name, expr.span),
            ExprKind::Member { base, member } => self.member(*base, member),
            ExprKind::Binary { op, left, right } if op.value == BinaryOp::BitAnd => {
                self.masked(*left, *right, op.span)
            }
            ExprKind::Path(parts) => {
                let name = parts.iter().map(|part| part.value.as_str()).collect::<Vec<_>>().join("::");
                self.say(codes::unknown_constant::unknown_constant(expr.span, &name, &[]))
            }
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Not => {
                self.negated_operand(op.span, *operand, None)
            }
            ExprKind::Unary { operand, .. } => {
                self.side(*operand)?;
                self.say(codes::no_comparand::no_comparand(expr.span, "a negated field"))
            }
            _ => self.say(codes::no_comparand::no_comparand(expr.span, "a condition with a value")),
        }
    }

    /// `!a == b`, whose whole is `comparison`, or `!a & b`: the negation binds to `a` alone.
    fn negated_operand(&mut self, op: Span, operand: ExprId, comparison: Option<Span>) -> Option<Side> {
        let exprs = self.exprs;
        match self.side(operand)? {
            Side::Operand(target) | Side::Masked(target, _) => {
                let text = render(&exprs[operand], exprs);
                self.say(codes::not_on_integer::compared(target.span, &text, op, comparison))
            }
            Side::Word(word, span) => self.unknown(&word, span),
            Side::Literal(..) => {
                self.say(codes::not_a_condition::not_a_condition(exprs[operand].span, "this"))
            }
        }
    }

    fn masked(&mut self, left: ExprId, right: ExprId, op: Span) -> Option<Side> {
        let span = self.exprs[left].span.to(self.exprs[right].span);
        let (target, literal, at) = match (self.side(left)?, self.side(right)?) {
            (Side::Operand(target), Side::Literal(literal, at))
            | (Side::Literal(literal, at), Side::Operand(target)) => (target, literal, at),
            (Side::Word(word, at), _) | (_, Side::Word(word, at)) => return self.unknown(&word, at),
            _ => {
                return self
                    .say(codes::no_comparand::no_comparand(span, "something else than a field's bits"));
            }
        };
        match target.class() {
            Class::Nothing => return self.not_filterable(&target),
            Class::Text | Class::Cpu => return self.bad_operator(&target, BinaryOp::BitAnd, op),
            Class::Integer => {}
        }
        let Some(value) = literal.number() else { return self.mismatch(&target, "a number", &literal, at) };
        let bits = match &target.operand {
            Operand::Field(field) => field.integer().map_or(0, |integer| integer.bytes * 8),
            Operand::Cpu | Operand::Comm => 32,
        };
        let high = (1i128 << bits) - 1;
        match u64::try_from(value) {
            Ok(mask) if value <= high => Some(Side::Masked(target, mask)),
            _ => self.say(codes::out_of_range::out_of_range(at, value, &target.name, 0, high)),
        }
    }

    /// A bare name: a field, else a pseudo-field, else a word. `None` has been reported.
    fn name(&mut self, name: &str, span: Span) -> Option<Side> {
        let event = self.subject.event;
        let target = |operand| Side::Operand(Target { operand, name: name.to_owned(), span });
        if let Some(field) = event.field(name) {
            // Arguments of system calls are the caller's: what they point to is user memory, which the kernel's
            // filter does not follow (kernel/trace/trace_events_filter.c, `filter_pred_pchar`).
            if field.kind == FieldKind::CharPtr && event.system == "syscalls" {
                return self.say(codes::user_memory::user_memory(span, name, &event.qualified_name()));
            }
            if matches!(name, "comm" | "cpu") {
                let event = event.qualified_name();
                self.diagnostics.push(codes::hidden_pseudo_field::hidden_pseudo_field(span, name, &event));
            }
            return Some(target(Operand::Field(field.clone())));
        }
        Some(match name {
            "comm" => target(Operand::Comm),
            "cpu" => target(Operand::Cpu),
            _ => Side::Word(name.to_owned(), span),
        })
    }

    /// `current.comm`, `current.pid`, `current.cpu`.
    fn member(&mut self, base: ExprId, member: &Name) -> Option<Side> {
        let (base, event) = (&self.exprs[base], self.subject.event);
        let name = render(base, self.exprs);
        let operand = match &base.kind {
            ExprKind::Name(base) if base == "current" => match member.value.as_str() {
                "comm" => Some(Operand::Comm),
                "cpu" => Some(Operand::Cpu),
                "pid" => event.field("common_pid").map(|field| Operand::Field(field.clone())),
                _ => None,
            },
            // Of `a.b`, an `a` that is nothing is the mistake.
            ExprKind::Name(base_name) if !self.is_known(base_name) => {
                return self.unknown(base_name, base.span);
            }
            ExprKind::Member { base, member } => {
                self.member(*base, member)?;
                None
            }
            _ => None,
        };
        let Some(operand) = operand else {
            return self.say(codes::unknown_member::unknown_member(member.span, &name, &member.value));
        };
        let name = format!("{name}.{}", member.value);
        Some(Side::Operand(Target { operand, name, span: member.span }))
    }

    /// Whether a word names something in conditions on this event.
    fn is_known(&self, word: &str) -> bool {
        matches!(word, "comm" | "cpu" | "current") || self.subject.event.field(word).is_some()
    }

    /// What a bare name can be here, each once.
    fn names(&self) -> Vec<&str> {
        let own = self.subject.event.own_fields().iter().map(|field| field.name.as_str());
        let names: Vec<&str> = own.collect();
        let everywhere = ["comm", "cpu", "common_pid"].into_iter().filter(|name| !names.contains(name));
        names.iter().copied().chain(everywhere).collect()
    }

    /// The names that come nearest to one that is none, best first.
    fn nearest_names(&self, word: &str) -> Vec<String> {
        nearest(word, self.names(), 3).into_iter().map(str::to_owned).collect()
    }

    /// A word that names nothing.
    fn unknown<T>(&mut self, word: &str, span: Span) -> Option<T> {
        let Subject { event, group, formats, set } = self.subject;
        if group.iter().any(|&(id, _)| formats[id].field(word).is_some()) {
            let event = event.qualified_name();
            return self.say(codes::missing_in_group::missing_in_group(
                span,
                word,
                &event,
                group.len(),
                *set,
            ));
        }
        let (near, known) = (self.nearest_names(word), self.names().into_iter().map(str::to_owned).collect());
        self.say(codes::unknown_field::unknown_field(span, word, &event.qualified_name(), &near, known))
    }

    fn say<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }
}

fn is_integer_expression(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Name(_) | ExprKind::Member { .. } => true,
        ExprKind::Binary { op, .. } => op.value == BinaryOp::BitAnd,
        _ => false,
    }
}

/// The text of an operand, for a fix.
fn render(expr: &Expr, exprs: &Exprs) -> String {
    match &expr.kind {
        ExprKind::Name(name) => name.clone(),
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Member { base, member } => format!("{}.{}", render(&exprs[*base], exprs), member.value),
        ExprKind::Binary { op, left, right } if op.value == BinaryOp::BitAnd => {
            format!("{} & {}", render(&exprs[*left], exprs), render(&exprs[*right], exprs))
        }
        _ => "..".to_owned(),
    }
}
