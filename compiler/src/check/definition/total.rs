//! Operations that have no value for some of their operands: a division by 0, a shift by other than 0 to 63 bits, an element
//! beyond an array.
//!
//! A condition of a session is false where it has no value. C has no such rule: the machine would stop, or read what is
//! not a part of the array. Each such operation must stand where its operands are known to be right: by their type, or
//! behind a condition that asks for it, as in `n != 0 && a / n > 2` and `n ? a / n : 0`.

use tracec_kernel::condition::ir::{CompareOp, Number};
use tracec_kernel::condition::ranges::Ranges;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::codes::no_value::{self, Where};
use crate::ir::definition::{BinaryOp, ExprId, ExprKind, Exprs, SetMember, TypeKind, UnaryOp};

use super::context::Context;
use super::expression::VisibleNames;

/// What an expression is: its value is tested, or taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Used {
    Condition,
    Value,
}

/// Checks the operations of an expression. `None` if a mistake was reported.
pub(super) fn total(
    id: ExprId,
    used: Used,
    names: VisibleNames<'_>,
    context: &mut Context<'_, '_>,
) -> Option<ExprId> {
    let names = names.by_index();
    let walk = Walk { exprs: &context.exprs, names: &names };
    let place = if used == Used::Condition { Where::Condition(context.exprs[id].span) } else { Where::Value };
    match walk.first_mistake(id, place, &[]) {
        None => Some(id),
        Some(mistake) => context.say(*mistake),
    }
}

/// What is known of a number behind a condition.
#[derive(Clone)]
struct Fact {
    number: Number,
    values: Ranges,
}

#[derive(Clone, Copy)]
struct Walk<'a> {
    exprs: &'a Exprs,
    names: &'a [&'a str],
}

/// How a number can be outside of a range.
struct Outside {
    /// The only number that it can be.
    only: Option<i128>,
    /// The number as it is written, where it can be repeated.
    text: Option<String>,
    /// Whether it can be negative.
    is_signed: bool,
}

impl Outside {
    /// Returns what the question for it is made of.
    fn question(&self) -> Option<(&str, bool)> {
        self.text.as_deref().map(|text| (text, self.is_signed))
    }
}

type Mistake = Option<Box<Diagnostic>>;

/// The numbers of 64 bits, of either sign.
const ALL: (i128, i128) = Number::CONSTANTS;

impl Walk<'_> {
    /// Returns the first operation that may have no value. The recursion is as deep as the expression.
    fn first_mistake(self, id: ExprId, place: Where, facts: &[Fact]) -> Mistake {
        let exprs = self.exprs;
        match &exprs[id].kind {
            ExprKind::And(parts) => self.chain(parts, true, facts),
            ExprKind::Or(parts) => self.chain(parts, false, facts),
            ExprKind::Unary { op: UnaryOp::Not, operand } => {
                self.first_mistake(*operand, Where::Condition(exprs[*operand].span), facts)
            }
            ExprKind::Choose { condition, then, otherwise } => {
                let asked = Where::Condition(exprs[*condition].span);
                let branch = |id: ExprId, holds: bool| {
                    let learned = [facts, self.learned(*condition, holds).as_slice()].concat();
                    self.first_mistake(id, Where::Value, &learned)
                };
                self.first_mistake(*condition, asked, facts)
                    .or_else(|| branch(*then, true))
                    .or_else(|| branch(*otherwise, false))
            }
            kind => {
                let own = || self.own_mistake(id, place, facts);
                let mut operands = kind.operands().into_iter();
                operands.find_map(|operand| self.first_mistake(operand, place, facts)).or_else(own)
            }
        }
    }

    /// Checks the parts of a conjunction, each of which is reached where those before it hold; of a disjunction, where they
    /// do not.
    fn chain(self, parts: &[ExprId], holds: bool, facts: &[Fact]) -> Mistake {
        let mut facts = facts.to_vec();
        for &part in parts {
            let mistake = self.first_mistake(part, Where::Condition(self.exprs[part].span), &facts);
            if mistake.is_some() {
                return mistake;
            }
            facts.extend(self.learned(part, holds));
        }
        None
    }

    fn own_mistake(self, id: ExprId, place: Where, facts: &[Fact]) -> Mistake {
        let whole = self.exprs[id].span;
        match &self.exprs[id].kind {
            ExprKind::Binary { op: op @ (BinaryOp::Div | BinaryOp::Rem), left, right } => {
                let (divisors, span) = (self.values(*right, facts), self.exprs[*right].span);
                let text = self.source(*right);
                if divisors.single() == Some(0) {
                    return Some(Box::new(no_value::always_by_zero(span)));
                }
                if divisors.contains(0) {
                    return Some(Box::new(no_value::by_zero(whole, span, text.as_deref(), place)));
                }
                // The opposite of the smallest number has more than 64 bits, and the machine stops.
                let can_be_least = self.values(*left, facts).contains(i128::from(i64::MIN));
                (can_be_least && divisors.contains(-1))
                    .then(|| Box::new(no_value::by_minus_one(span, op.symbol())))
            }
            ExprKind::Binary { op: BinaryOp::Shl | BinaryOp::Shr, left: _, right } => {
                let outside = self.outside(*right, (0, 63), facts)?;
                let span = self.exprs[*right].span;
                Some(Box::new(match outside.only {
                    Some(bits) => no_value::shift_by(span, bits),
                    None => no_value::shift(whole, span, outside.question(), place),
                }))
            }
            ExprKind::Index { base, index } => match &self.exprs[*base].ty {
                Some(TypeKind::Elements { .. }) => Some(Box::new(no_value::of_elements(whole))),
                Some(TypeKind::Array { length, .. }) => {
                    let count = length.count()?;
                    let outside = self.outside(*index, (0, i128::from(count) - 1), facts)?;
                    let span = self.exprs[*index].span;
                    Some(Box::new(match outside.only {
                        Some(_) => no_value::beyond(span, count),
                        None => no_value::index(whole, span, outside.question(), count, place),
                    }))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns how a number can be outside of a range; `None` if it cannot.
    fn outside(self, id: ExprId, (first, last): (i128, i128), facts: &[Fact]) -> Option<Outside> {
        let values = self.values(id, facts);
        let ends = values.iter().next().zip(values.iter().next_back());
        let ((least, _), (_, greatest)) = ends?;
        (least < first || greatest > last).then(|| Outside {
            only: values.single(),
            text: self.source(id),
            is_signed: least < 0,
        })
    }

    /// Returns the values that an expression can have; one that only C knows can have all.
    fn values(self, id: ExprId, facts: &[Fact]) -> Ranges {
        let number = self.exprs.number_by_name(id);
        let reach = self.exprs.reach(id).unwrap_or(ALL);
        let known = facts.iter().filter(|fact| fact.number == number);
        known.fold(Ranges::new([reach]), |values, fact| values.intersection(&fact.values))
    }

    /// Returns what a condition says of numbers where it holds, or where it does not.
    fn learned(self, id: ExprId, holds: bool) -> Vec<Fact> {
        let exprs = self.exprs;
        let fact = |id: ExprId, values: Ranges| {
            let values = if holds { values } else { values.complement(ALL.0, ALL.1) };
            vec![Fact { number: exprs.number_by_name(id), values }]
        };
        let constant = |id: ExprId| match exprs.number(id) {
            Some(Number::Const(value)) => Some(value),
            _ => None,
        };
        match &exprs[id].kind {
            ExprKind::And(parts) if holds => {
                parts.iter().flat_map(|part| self.learned(*part, true)).collect()
            }
            ExprKind::Or(parts) if !holds => {
                parts.iter().flat_map(|part| self.learned(*part, false)).collect()
            }
            ExprKind::And(_) | ExprKind::Or(_) => Vec::new(),
            ExprKind::Unary { op: UnaryOp::Not, operand } => self.learned(*operand, !holds),
            ExprKind::Binary { op, left, right } if let Some(op) = op.compare_op() => {
                match (constant(*left), constant(*right)) {
                    (None, Some(value)) => fact(*left, op.matching(value, ALL)),
                    (Some(value), None) => fact(*right, op.flipped().matching(value, ALL)),
                    _ => Vec::new(),
                }
            }
            ExprKind::In { operand, members } => {
                let range = |member: &SetMember| match *member {
                    SetMember::One(value) => constant(value).map(|value| (value, value)),
                    SetMember::Range { first, last } => constant(first).zip(constant(last)),
                };
                match members.iter().map(range).collect::<Option<Vec<_>>>() {
                    Some(ranges) => fact(*operand, Ranges::new(ranges)),
                    None => Vec::new(),
                }
            }
            _ => fact(id, CompareOp::Ne.matching(0, ALL)),
        }
    }

    /// Returns an expression as it can be written again; `None` for what is more than a name and its members.
    fn source(self, id: ExprId) -> Option<String> {
        match &self.exprs[id].kind {
            ExprKind::Argument(index) | ExprKind::Field(index) => {
                self.names.get(*index).map(|name| (*name).to_owned())
            }
            ExprKind::Arrow { base, member } => Some(format!("{}->{}", self.source(*base)?, member.value)),
            ExprKind::Member { base, member } => Some(format!("{}.{}", self.source(*base)?, member.value)),
            _ => None,
        }
    }
}
