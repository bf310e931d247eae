//! What is right as it stands, and rarely what was meant: a `*` that is no pattern, a difference that wraps.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind};
use tracec_kernel::condition::ir::{Atom, Condition, Number, NumberOp, Sign, TextTest};
use tracec_kernel::condition::simplify::reach;

use crate::diagnostic::codes::star_in_text::{of_member, star_in_text};
use crate::diagnostic::codes::wrapping_difference::{Difference, wrapping_difference};

use super::Checker;
use super::compare::flipped;
use super::render::{is_sum_or_tighter, render};

impl Checker<'_> {
    /// Looks at a comparison that has been typed.
    pub(super) fn look_at(
        &mut self,
        condition: &Condition,
        (op, op_span): (BinaryOp, Span),
        left: ExprId,
        right: ExprId,
    ) {
        match op {
            BinaryOp::Eq | BinaryOp::Ne if has_star(condition) => {
                let constant = if self.mentions_operand(left) { right } else { left };
                let pattern = if op == BinaryOp::Eq { "~" } else { "!~" };
                // A pattern stands on the right.
                let pattern = (constant == right).then_some(pattern);
                let at = self.exprs[constant].span;
                self.diagnostics.push(star_in_text(at, op_span, op.symbol(), pattern));
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.differences(condition, (op, op_span), left, right);
            }
            _ => {}
        }
    }

    /// Looks at a member of a set that has been typed.
    pub(super) fn look_at_member(&mut self, condition: &Condition, at: Span) {
        if has_star(condition) {
            self.diagnostics.push(of_member(at));
        }
    }

    /// Tells of differences of numbers without sign that are compared by size.
    fn differences(
        &mut self,
        condition: &Condition,
        (op, op_span): (BinaryOp, Span),
        left: ExprId,
        right: ExprId,
    ) {
        let Condition::Atom(Atom::Compare { left: first, right: second, .. }) = condition else { return };
        for (side, other, op) in [(left, right, op), (right, left, flipped(op))] {
            let ExprKind::Binary { op: minus, left: from, right: what } = &self.exprs[side].kind else {
                continue;
            };
            if minus.value != BinaryOp::Sub || !self.mentions_operand(side) {
                continue;
            }
            // A constant has been put on the right.
            let turned = side == right && !matches!(second, Number::Const(_));
            let (own, against) = if turned { (second, first) } else { (first, second) };
            let Number::Binary { op: NumberOp::Sub, sign: Sign::Unsigned, left: a, right: b } = own else {
                continue;
            };
            let (Some(values), Some(taken)) = (reach(a), reach(b)) else { continue };
            if values.0 >= taken.1 {
                continue;
            }
            let text = |id: ExprId| render(&self.exprs[id], self.exprs);
            let (whole, last) = (self.exprs[side].span, self.exprs[*what].span);
            let in_parentheses = whole.start != self.exprs[*from].span.start || whole.end != last.end;
            let movable = side == left && !in_parentheses && is_sum_or_tighter(&self.exprs[other]);
            let difference = Difference {
                span: whole,
                minus: minus.span,
                from: text(*from),
                what: text(*what),
                constant: matches!(**b, Number::Const(_)),
                op: op_span,
                symbol: op.symbol(),
            };
            self.diagnostics.push(wrapping_difference(&difference, movable && sum_fits(a, b, against)));
        }
    }
}

/// Whether a condition compares with a text that holds a `*`.
fn has_star(condition: &Condition) -> bool {
    let Condition::Atom(Atom::Text { test: TextTest::Eq(text) | TextTest::Ne(text), .. }) = condition else {
        return false;
    };
    text.contains('*')
}

/// Whether `b + against` never wraps, so that `a OP b + against` is what `a - b OP against` would be if it did not wrap
/// either, and is no constant that `a` cannot be.
fn sum_fits(a: &Number, b: &Number, against: &Number) -> bool {
    let most = b.range().1 + against.range().1;
    let constant = matches!((b, against), (Number::Const(_), Number::Const(_)));
    let limit = if constant { a.range().1 } else { Sign::Unsigned.range().1 };
    against.range().0 >= 0 && most <= limit
}
