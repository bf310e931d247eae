//! Lints for valid conditions that are rarely meant: a `*` outside of a pattern, a difference that wraps.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, ExprId, ExprKind};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, Sign, TextTest};
use tracec_kernel::condition::simplify::reach;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes::star_in_text::{of_member, star_in_text};
use crate::diagnostic::codes::wrapping_difference::{Difference, wrapping_difference};

use super::Checker;
use super::compare::flipped;
use super::render::{CAST, SUM, is_sum_or_tighter, render_part};

/// A difference that can wrap, unless a condition beside it prevents that.
pub(super) struct Wrapping {
    from: Number,
    what: Number,
    said: Diagnostic,
}

impl Checker<'_> {
    /// Checks a comparison that has been typed.
    pub(super) fn look_at(
        &mut self,
        condition: &Condition,
        op: &Spanned<BinaryOp>,
        left: ExprId,
        right: ExprId,
    ) {
        match op.value {
            BinaryOp::Eq | BinaryOp::Ne if has_star(condition) => {
                let constant = if self.mentions_operand(left) { right } else { left };
                let pattern = if op.value == BinaryOp::Eq { "~" } else { "!~" };
                // A pattern stands on the right.
                let pattern = (constant == right).then_some(pattern);
                let at = self.exprs[constant].span;
                self.found.push(star_in_text(at, op.span, op.value.symbol(), pattern));
            }
            BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge => {
                self.differences(condition, op, left, right);
            }
            _ => {}
        }
    }

    /// Checks a member of a set that has been typed; `word` is the `in` of a set of strings.
    pub(super) fn look_at_member(&mut self, condition: &Condition, at: Span, word: Option<Span>) {
        if has_star(condition) {
            self.found.push(of_member(at, word));
        }
    }

    /// Removes the differences from `first` on that conditions beside them keep from wrapping: parts of one conjunction
    /// (`holds`), which hold where the difference counts, or of one disjunction, which do not.
    pub(super) fn forget_guarded<'c>(
        &mut self,
        first: usize,
        beside: impl Iterator<Item = &'c Condition> + Clone,
        holds: bool,
    ) {
        let before = self.differences.len();
        let tail = self.differences.split_off(first.min(before));
        let wraps =
            |found: &Wrapping| !beside.clone().any(|part| guards(part, holds, &found.from, &found.what));
        self.differences.extend(tail.into_iter().filter(wraps));
    }

    /// Reports the differences that are left.
    pub(super) fn report_differences(&mut self) {
        for found in std::mem::take(&mut self.differences) {
            self.found.push(found.said);
        }
    }

    /// Finds differences of unsigned numbers that are compared by size.
    fn differences(&mut self, condition: &Condition, op: &Spanned<BinaryOp>, left: ExprId, right: ExprId) {
        let Condition::Atom(Atom::Compare { left: first, right: second, .. }) = condition else { return };
        for (side, other, symbol) in [(left, right, op.value), (right, left, flipped(op.value))] {
            let ExprKind::Binary { op: minus, left: from, right: what } = &self.exprs[side].kind else {
                continue;
            };
            if minus.value != BinaryOp::Sub || !self.mentions_operand(side) {
                continue;
            }
            // The constant has been moved to the right.
            let turned = side == right && !matches!(second, Number::Const(_));
            let (own, against) = if turned { (second, first) } else { (first, second) };
            let Number::Binary { op: NumberOp::Sub, sign: Sign::Unsigned, left: a, right: b } = own else {
                continue;
            };
            let (Some(values), Some(taken)) = (reach(a), reach(b)) else { continue };
            if values.0 >= taken.1 || never_above(b, a) {
                continue;
            }
            let text = |id: ExprId, tightest| render_part(&self.exprs[id], self.exprs, tightest);
            let castable = [(*from, a), (*what, b)];
            let castable = castable.iter().filter(|(_, number)| !matches!(***number, Number::Const(_)));
            let (whole, last) = (self.exprs[side].span, self.exprs[*what].span);
            let in_parentheses = whole.start != self.exprs[*from].span.start || whole.end != last.end;
            let movable = side == left && !in_parentheses && is_sum_or_tighter(&self.exprs[other]);
            let difference = Difference {
                span: whole,
                minus: minus.span,
                from: text(*from, SUM),
                what: text(*what, SUM + 1),
                castable: castable.map(|(id, _)| text(*id, CAST)).collect(),
                op: op.span,
                symbol: symbol.symbol(),
            };
            let said = wrapping_difference(&difference, movable && sum_fits(a, b, against));
            self.differences.push(Wrapping { from: (**a).clone(), what: (**b).clone(), said });
        }
    }
}

/// Returns whether a condition compares with a text that contains a `*`.
fn has_star(condition: &Condition) -> bool {
    let Condition::Atom(Atom::Text { test: TextTest::Eq(text) | TextTest::Ne(text), .. }) = condition else {
        return false;
    };
    text.contains('*')
}

/// Returns whether an unsigned number is the result of an operation on another that never increases it: `x % k`, `x /
/// k`, `x >> k`, `x & k`. Recursion follows the number, whose depth the grammar limits.
fn never_above(part: &Number, whole: &Number) -> bool {
    if part == whole {
        return true;
    }
    let Number::Binary { op, sign: Sign::Unsigned, left, right } = part else { return false };
    match op {
        NumberOp::Rem | NumberOp::Div | NumberOp::Shr => never_above(left, whole),
        NumberOp::And => never_above(left, whole) || never_above(right, whole),
        _ => false,
    }
}

/// Returns whether `from` is at least `what` where a condition holds, or where it does not. Recursion follows the
/// condition, whose depth the grammar limits.
fn guards(condition: &Condition, holds: bool, from: &Number, what: &Number) -> bool {
    let any = |parts: &[Condition]| parts.iter().any(|part| guards(part, holds, from, what));
    match condition {
        Condition::Not(inner) => guards(inner, !holds, from, what),
        Condition::And(parts) if holds => any(parts),
        Condition::Or(parts) if !holds => any(parts),
        Condition::Atom(Atom::Compare { left, op, right }) => {
            let op = if holds { *op } else { op.opposite() };
            is_guard(left, op, right, from, what) || is_guard(right, op.flipped(), left, from, what)
        }
        _ => false,
    }
}

/// Returns whether `left OP right` implies that `from`, which is `left`, is at least `what`.
fn is_guard(left: &Number, op: CompareOp, right: &Number, from: &Number, what: &Number) -> bool {
    if left != from {
        return false;
    }
    let (Some((least, _)), Some((_, most))) = (reach(right), reach(what)) else { return false };
    match op {
        CompareOp::Gt => right == what || least + 1 >= most,
        CompareOp::Ge | CompareOp::Eq => right == what || least >= most,
        CompareOp::Ne => *right == Number::Const(0) && most <= 1,
        CompareOp::Lt | CompareOp::Le => false,
    }
}

/// Returns whether `b + against` never wraps and is a possible value of `a`, so that `a OP b + against` is equivalent
/// to `a - b OP against` without wrapping.
fn sum_fits(a: &Number, b: &Number, against: &Number) -> bool {
    let most = b.range().1 + against.range().1;
    let constant = matches!((b, against), (Number::Const(_), Number::Const(_)));
    let limit = if constant { a.range().1 } else { Sign::Unsigned.range().1 };
    against.range().0 >= 0 && most <= limit
}
