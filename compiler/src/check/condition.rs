//! One condition, typed against one event.

mod address;
mod compare;
mod field_names;
mod membership;
mod operand;
mod regex;
mod side;

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, Exprs, UnaryOp};
use tracec_kernel::condition::ir::{CompareOp, Condition};
use tracec_kernel::format::EventFormat;

use crate::diagnostic::{Diagnostic, Diagnostics, codes};
use crate::ir::Conjuncts;
use crate::resolve::names::Names;
use crate::resolve::{FormatId, Formats, Precision};

use compare::flipped;
use operand::{Class, Side};

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
    /// What the clause can name beside fields.
    pub(super) names: &'a Names<'a>,
}

/// Types conditions that must all hold, and takes their top-level `&&` apart. `None` if one has mistakes; they have been
/// reported.
pub(super) fn check(
    parts: &[ExprId],
    subject: &Subject<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Conjuncts> {
    let exprs = subject.names.exprs();
    let mut checker = Checker { exprs, subject, diagnostics };
    let mut conjuncts = Vec::new();
    for &part in parts {
        flatten(part, exprs, &mut conjuncts);
    }
    // Every part, so that each mistake is found.
    let typed: Vec<Option<Spanned<Condition>>> =
        conjuncts.into_iter().map(|id| Some(Spanned::new(checker.condition(id)?, exprs[id].span))).collect();
    typed.into_iter().collect()
}

/// The parts of a top-level `&&`, in the order of the text. Recursion follows the expression, whose depth the grammar
/// limits.
fn flatten(id: ExprId, exprs: &Exprs, conjuncts: &mut Vec<ExprId>) {
    match &exprs[id].kind {
        ExprKind::And(parts) => parts.iter().for_each(|&part| flatten(part, exprs, conjuncts)),
        _ => conjuncts.push(id),
    }
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
        let exprs = self.exprs;
        let expr = &exprs[id];
        match &expr.kind {
            ExprKind::Error => None,
            ExprKind::And(parts) => self.all(parts).map(Condition::And),
            ExprKind::Or(parts) => self.all(parts).map(Condition::Or),
            ExprKind::Unary { op, operand } if op.value == UnaryOp::Not => self.not(op.span, *operand, false),
            ExprKind::Binary { op, left, right } if op.value == BinaryOp::BitAnd => {
                self.any_bit(*left, *right, op.span)
            }
            ExprKind::Binary { op, left, right } if is_comparison(op.value) => {
                self.comparison(op.value, op.span, *left, *right)
            }
            ExprKind::In { operand, members, word } => self.membership(*operand, members, *word, expr.span),
            _ => self.truth(id),
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
            Side::Constant(id) => return self.constant_alone(id),
            Side::Cpus(_, span) => {
                return self.say(codes::not_a_condition::not_a_condition(span, "a list of CPUs"));
            }
            Side::Masked(..) => return None,
        };
        match target.class() {
            Class::Integer | Class::Cpu => {
                Some(Condition::compare(target.operand.number(), CompareOp::Ne, 0))
            }
            Class::Text => self.say(codes::not_a_condition::not_a_condition(target.span, "text")),
            Class::Cpumask | Class::Nothing => self.not_filterable(&target),
        }
    }

    /// A constant where a condition is due; or a word that is neither constant nor field.
    fn constant_alone(&mut self, id: ExprId) -> Option<Condition> {
        let expr = &self.exprs[id];
        if let Some(word) = self.unknown_word(id) {
            return self.unknown(&word, expr.span);
        }
        let value = self.value(id, None)?;
        self.say(codes::not_a_condition::not_a_condition(expr.span, value.kind().describe()))
    }

    fn any_bit(&mut self, left: ExprId, right: ExprId, op: Span) -> Option<Condition> {
        match self.masked(left, right, op)? {
            Side::Masked(target, mask) => Some(compare::masked(&target.operand, mask, CompareOp::Ne, 0)),
            Side::Operand(target) => match (self.cpus(left), self.cpus(right)) {
                (Some((cpus, at)), _) | (_, Some((cpus, at))) => self.on_cpus(&target, &cpus, at),
                (None, None) => None,
            },
            _ => None,
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
        let right = self.side(right);
        match (left?, right?) {
            (Side::Operand(target), Side::Constant(id)) => self.compare(target, op, op_span, id),
            (Side::Constant(id), Side::Operand(target))
                if !matches!(op, BinaryOp::Match | BinaryOp::NotMatch) =>
            {
                self.compare(target, flipped(op), op_span, id)
            }
            (Side::Masked(target, mask), Side::Constant(id)) => {
                self.masked_compare(&target, mask, op, op_span, id)
            }
            (Side::Constant(id), Side::Masked(target, mask)) => {
                self.masked_compare(&target, mask, flipped(op), op_span, id)
            }
            (Side::Operand(target), Side::Cpus(cpus, at)) | (Side::Cpus(cpus, at), Side::Operand(target)) => {
                self.equals_cpus(&target, op, &cpus, at)
            }
            (Side::Constant(a), Side::Constant(b)) => {
                // Each word that is nothing is a mistake of its own.
                let words = [a, b].map(|id| self.unknown_word(id).map(|word| (word, self.exprs[id].span)));
                if words.iter().all(Option::is_none) {
                    return self.say(codes::no_comparand::no_comparand(span, "two constants"));
                }
                let [left, right] = words;
                let beside = match (&left, &right) {
                    (Some(_), None) => self.value(b, None),
                    (None, Some(_)) => self.value(a, None),
                    _ => None,
                };
                for (word, span) in [left, right].into_iter().flatten() {
                    self.unknown_beside::<()>(&word, span, beside.as_ref());
                }
                None
            }
            (Side::Constant(_), _) => {
                self.say(codes::no_comparand::no_comparand(span, "a pattern with a field; turn it round"))
            }
            _ => self.say(codes::no_comparand::no_comparand(span, "two fields")),
        }
    }

    fn say<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Match, Ne, NotMatch};
    matches!(op, Eq | Ne | Lt | Le | Gt | Ge | Match | NotMatch)
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
