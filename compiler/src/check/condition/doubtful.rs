//! Lints for valid comparisons that certainly mean another thing than what was written: a range as a difference, values
//! joined bit by bit, a value that the number never has.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, UnaryOp};
use tracec_kernel::condition::ir::{Atom, Condition, Number, Text, TextTest};
use tracec_kernel::format::Field;
use tracec_kernel::tables::limits;
use tracec_kernel::tables::measures::Measure;
use tracec_kernel::tables::packed_flags;

use crate::constant::const_eval;
use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes::bitwise_alternatives::{alternatives, mask};
use crate::diagnostic::codes::doubtful_number::{decimal_mode, failed_call, negative_signal};
use crate::diagnostic::codes::partial_flags::{one_flag, some_bits};
use crate::diagnostic::codes::path_as_name::path_as_name;
use crate::diagnostic::codes::range_as_difference::{of_comparison, of_member};
use crate::ir::definition::Value;

use super::Checker;
use super::operand::{NamedOperand, Operand, Side, ValueNames, measured};
use super::render::render;

impl Checker<'_> {
    /// Checks how the constant of `left OP right` is written; its value may be out of range.
    pub(super) fn doubt_form(&mut self, op: &Spanned<BinaryOp>, left: ExprId, right: ExprId) {
        if !matches!(op.value, BinaryOp::Eq | BinaryOp::Ne) {
            return;
        }
        let is_equal = op.value == BinaryOp::Eq;
        if let Some((first, last)) = self.difference(right) {
            let operand = render(&self.exprs[left], self.exprs);
            self.found.push(of_comparison(
                self.exprs[right].span,
                (first, last),
                op.span,
                is_equal,
                &operand,
            ));
        } else if let Some(values) = self.joined_bits(right) {
            let edits = if is_equal { self.as_set(op.span, right, &values) } else { Vec::new() };
            let operand = render(&self.exprs[left], self.exprs);
            let set = self.set_text(&values);
            self.found.push(alternatives(self.exprs[right].span, &operand, &set, edits));
        }
    }

    /// Checks how a member of a set is written.
    pub(super) fn doubt_member(&mut self, member: ExprId) {
        if let Some(range) = self.difference(member) {
            self.found.push(of_member(self.exprs[member].span, range));
        }
    }

    /// Checks a comparison that has been typed.
    pub(super) fn doubt_value(
        &mut self,
        condition: &Condition,
        op: &Spanned<BinaryOp>,
        (left, right): (ExprId, ExprId),
    ) {
        if !matches!(op.value, BinaryOp::Eq | BinaryOp::Ne) || self.mentions_operand(right) {
            return;
        }
        let is_equal = op.value == BinaryOp::Eq;
        let at = self.exprs[right].span;
        let said = match condition {
            Condition::Atom(Atom::Compare {
                left: Number::Field(field),
                right: Number::Const(value),
                ..
            }) => self.doubtful_number(field, *value, (op.span, is_equal), (left, right)),
            Condition::Atom(Atom::Text { of, test: TextTest::Eq(text) | TextTest::Ne(text) })
                if is_task_name(of) && matches!(self.exprs[right].kind, ExprKind::Str(_)) =>
            {
                path_as_name(at, text)
            }
            _ => None,
        };
        self.found.extend(said);
    }

    fn doubtful_number(
        &self,
        field: &Field,
        value: i128,
        (op, is_equal): (Span, bool),
        (left, right): (ExprId, ExprId),
    ) -> Option<Diagnostic> {
        let expr = &self.exprs[right];
        match &expr.kind {
            ExprKind::Unary { op: minus, .. } if minus.value == UnaryOp::Neg => {
                if measured(field) == Some(Measure::Signal) && value < 0 {
                    return Some(negative_signal(expr.span, value));
                }
                // `-EPERM` says what it means.
                let is_literal = !self.mentions_constant(right);
                let is_call = value == -1 && field.name == "ret" && self.context.event.is_system_call();
                (is_literal && is_call).then(|| failed_call(expr.span, op, is_equal))
            }
            ExprKind::Int(_) if measured(field) == Some(Measure::Mode) => {
                let is_decimal = expr.span.end - expr.span.start == value.to_string().len() as u32;
                is_decimal.then(|| decimal_mode(expr.span, value)).flatten()
            }
            ExprKind::Name(_) | ExprKind::Path(_) if self.context.event.is_system_call() => {
                let constant = self.constant_value(right)?;
                let of = self.scope(None).enum_of(&constant)?;
                let packed = packed_flags::find(&of.name).filter(|packed| packed.flags == of.name)?;
                let texts = (render(&self.exprs[left], self.exprs), render(expr, self.exprs));
                let whole = self.exprs[left].span.to(expr.span);
                Some(one_flag(whole, (&texts.0, &texts.1), op, is_equal, packed))
            }
            _ => None,
        }
    }

    /// Checks `x & MASK` and `x & A | B` where a condition is expected.
    pub(super) fn doubt_truth(&mut self, id: ExprId, side: &Side) {
        let ExprKind::Binary { op, left, right } = &self.exprs[id].kind else { return };
        let Side::Operand(NamedOperand { operand: Operand::Computed(computed), .. }) = side else { return };
        match op.value {
            BinaryOp::BitOr if !self.mentions_operand(*right) => {
                let expr = &self.exprs[*left];
                let ExprKind::Binary { op: inner, left: of, right: first } = &expr.kind else { return };
                let is_bare = expr.span.start == self.exprs[*of].span.start;
                if inner.value == BinaryOp::BitAnd && is_bare && !self.mentions_operand(*first) {
                    let parts = self.exprs[*first].span.to(self.exprs[*right].span);
                    self.found.push(mask(op.span, parts));
                }
            }
            BinaryOp::BitAnd if computed.mask.is_some_and(|mask| mask.count_ones() > 1) => {
                let (ExprKind::Name(name), Some(ValueNames::Field(field))) =
                    (&self.exprs[*right].kind, &computed.names)
                else {
                    return;
                };
                // The event prints the name only where all of its bits are set.
                let names = self.context.event.names(field);
                if names.is_some_and(|names| names.member(name).is_some()) {
                    self.found.push(some_bits(self.exprs[*right].span, name));
                }
            }
            _ => {}
        }
    }

    /// Returns whether a constant is a number with names in it.
    fn mentions_constant(&self, id: ExprId) -> bool {
        match &self.exprs[id].kind {
            ExprKind::Name(_) | ExprKind::Path(_) => true,
            ExprKind::Unary { operand, .. } | ExprKind::Cast { operand, .. } => {
                self.mentions_constant(*operand)
            }
            ExprKind::Binary { left, right, .. } => {
                self.mentions_constant(*left) || self.mentions_constant(*right)
            }
            _ => false,
        }
    }

    /// Returns the value of a constant that has been typed.
    fn constant_value(&self, id: ExprId) -> Option<Value> {
        const_eval(id, self.exprs, &self.scope(None)).ok()
    }

    /// Returns the ends of `1-5` without parentheses, whose first number is the smaller one.
    fn difference(&self, id: ExprId) -> Option<(u64, u64)> {
        let expr = &self.exprs[id];
        let ExprKind::Binary { op, left, right } = &expr.kind else { return None };
        let (ExprKind::Int(first), ExprKind::Int(last)) = (&self.exprs[*left].kind, &self.exprs[*right].kind)
        else {
            return None;
        };
        let is_range = op.value == BinaryOp::Sub && first < last && self.is_bare(expr, *left);
        is_range.then_some((*first, *last))
    }

    /// Returns the values of `1 | 2` without parentheses.
    fn joined_bits(&self, id: ExprId) -> Option<Vec<ExprId>> {
        let mut values = Vec::new();
        let mut rest = id;
        loop {
            let expr = &self.exprs[rest];
            match &expr.kind {
                ExprKind::Binary { op, left, right }
                    if op.value == BinaryOp::BitOr && self.is_bare(expr, *left) =>
                {
                    values.push(*right);
                    rest = *left;
                }
                _ => break,
            }
        }
        values.push(rest);
        values.reverse();
        let is_value = |id: &ExprId| {
            matches!(&self.exprs[*id].kind, ExprKind::Int(_) | ExprKind::Name(_) | ExprKind::Path(_))
                && !self.mentions_operand(*id)
        };
        (values.len() > 1 && values.iter().all(is_value)).then_some(values)
    }

    /// Returns whether an operation has no parentheses around it.
    fn is_bare(&self, expr: &Expr, left: ExprId) -> bool {
        expr.span.start == self.exprs[left].span.start
    }
}

/// Returns whether a text is the name of a task: the kernel records it in an array of this length.
fn is_task_name(text: &Text) -> bool {
    match text {
        Text::Comm => true,
        Text::Field(field) => field.size as usize == limits::TASK_COMM_LEN && field.name.ends_with("comm"),
        Text::User(_) => false,
    }
}
