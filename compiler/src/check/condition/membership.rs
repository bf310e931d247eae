//! Membership, `x in {1, 2, 5..=9}`: one comparison per member, joined.

use rustc_hash::{FxHashMap, FxHashSet};
use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{BinaryOp, Expr, ExprId, ExprKind, SetMember};
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number};
use tracec_kernel::condition::ranges::Ranges;

use crate::constant::{const_eval, is_constant};
use crate::diagnostic::codes;
use crate::ir::AtomSpan;
use crate::ir::definition::Value;

use super::Checker;
use super::operand::{Class, NamedOperand, Operand, Side};
use super::render::render;

impl Checker<'_> {
    pub(super) fn membership(
        &mut self,
        operand: ExprId,
        members: &[SetMember],
        word: Span,
        whole: &Expr,
    ) -> Option<Condition> {
        let span = whole.span;
        let side = self.side(operand);
        if members.is_empty() {
            return self.say(codes::empty_members::empty_members(span));
        }
        let side = side?;
        if let Some(member) = members.iter().find_map(|member| self.operand_in(member, &side)) {
            let exprs = self.exprs;
            let (operand, text) = (render(&exprs[operand], exprs), render(&exprs[member], exprs));
            return self.say(codes::no_comparand::in_set(exprs[member].span, &operand, &text));
        }
        let named = self.set_operand(side, span)?;
        // The check is done once, not for each member.
        self.not_user_memory(&named)?;
        let repeated = self.duplicates(&named, members);
        let members = members.iter().enumerate().filter(|(index, _)| !repeated.contains(index));
        let members: Vec<&SetMember> = members.map(|(_, member)| member).collect();
        self.in_set = true;
        let parts: Vec<Option<Condition>> =
            members.iter().map(|member| self.member_of(&named, member, word)).collect();
        self.in_set = false;
        let is_literal = |member: &&SetMember| matches!(member, SetMember::One(id) if matches!(self.exprs[*id].kind, ExprKind::Str(_)));
        let op = members.iter().all(is_literal).then_some(word);
        for (member, part) in members.iter().zip(&parts) {
            if let Some(part) = part {
                self.look_at_member(part, self.member_span(member), op);
            }
        }
        let condition = joined(parts.into_iter().collect::<Option<Vec<_>>>()?);
        // Numbers are one atom. A comparison that is not joined stands in the place of its member.
        if members.len() > 1 && condition.atoms().len() == members.len() {
            let span = |member: &&SetMember| AtomSpan { span: self.member_span(member), written: None };
            let spans: Vec<AtomSpan> = members.iter().map(span).collect();
            self.atoms.extend(spans);
            return Some(condition);
        }
        Some(self.atoms_of(whole, condition))
    }

    /// Types `operand ~ {"a*", "b*"}` or its negation.
    pub(super) fn patterns(
        &mut self,
        operand: ExprId,
        op: &Spanned<BinaryOp>,
        patterns: &[ExprId],
        whole: &Expr,
    ) -> Option<Condition> {
        let side = self.side(operand);
        if patterns.is_empty() {
            return self.say(codes::empty_members::empty_members(whole.span));
        }
        let named = self.set_operand(side?, whole.span)?;
        if named.class() != Class::Text {
            return self.bad_operator(&named, op);
        }
        // The check is done once, not for each pattern.
        self.not_user_memory(&named)?;
        let members: Vec<SetMember> = patterns.iter().map(|&id| SetMember::One(id)).collect();
        let repeated = self.duplicates(&named, &members);
        let once = patterns.iter().enumerate().filter(|(index, _)| !repeated.contains(index));
        let once: Vec<ExprId> = once.map(|(_, &id)| id).collect();
        let is_match = Spanned::new(BinaryOp::Match, op.span);
        self.in_set = true;
        let parts: Vec<Option<Condition>> =
            once.iter().map(|&id| self.compare(&named, &is_match, id)).collect();
        self.in_set = false;
        let condition = Condition::any(parts.into_iter().collect::<Option<Vec<_>>>()?);
        let condition = match once.as_slice() {
            [_] => self.atoms_of(whole, condition),
            several => {
                let span = |&id: &ExprId| AtomSpan { span: self.exprs[id].span, written: None };
                let spans: Vec<AtomSpan> = several.iter().map(span).collect();
                self.atoms.extend(spans);
                condition
            }
        };
        Some(if op.value == BinaryOp::NotMatch { Condition::not(condition) } else { condition })
    }

    /// Returns the operand whose membership in a set is tested, with `whole`. `None` if a mistake was reported.
    fn set_operand(&mut self, side: Side, whole: Span) -> Option<NamedOperand> {
        let (span, what) = match side {
            Side::Operand(named) => return Some(named),
            Side::Constant(id) => match self.unknown_word(id) {
                Some(word) => return self.unknown(&word, self.exprs[id].span),
                None => (whole, "two constants"),
            },
            Side::Cpus(_, at) => (at, "two constants"),
            Side::Test(_, at) => (at, "a condition with a value"),
        };
        self.say(codes::no_comparand::no_comparand(span, what))
    }

    /// Returns the part of a member that is a value of the record. A name of the operand's own table, and the name of a
    /// function, are constants even if a field has the same name.
    fn operand_in(&self, member: &SetMember, side: &Side) -> Option<ExprId> {
        let named = if let Side::Operand(named) = side { Some(named) } else { None };
        if named.is_some_and(|named| named.class() == Class::Function) {
            return None;
        }
        let is_operand = |id: ExprId| {
            // The table is read only for names that could be values of the record.
            self.mentions_operand(id) && {
                let own = named.and_then(|named| self.own_names(named, id));
                !is_constant(id, self.exprs, &self.scope(own.as_ref()))
            }
        };
        match *member {
            SetMember::One(id) => Some(id).filter(|id| is_operand(*id)),
            SetMember::Range { first, last } => [first, last].into_iter().find(|id| is_operand(*id)),
        }
    }

    fn member_span(&self, member: &SetMember) -> Span {
        match member {
            SetMember::One(id) => self.exprs[*id].span,
            SetMember::Range { first, last } => self.exprs[*first].span.to(self.exprs[*last].span),
        }
    }

    fn member_of(&mut self, named: &NamedOperand, member: &SetMember, word: Span) -> Option<Condition> {
        match member {
            SetMember::One(id) => {
                self.doubt_member(*id);
                self.compare(named, &Spanned::new(BinaryOp::Eq, word), *id)
            }
            SetMember::Range { first, last } => {
                let (class, span) = (named.class(), self.member_span(member));
                if matches!(class, Class::Text | Class::Function | Class::Cpumask) {
                    let what = format!("{} with a range of numbers; list the members", class.describe());
                    return self.say(codes::no_comparand::no_comparand(span, &what));
                }
                let low = self.bound(named, *first);
                let high = self.bound(named, *last);
                let ((low, low_of), (high, high_of)) = (low?, high?);
                if let Some((word, name)) = low_of.or(high_of) {
                    return self.say(codes::ordered_names::ordered_names(span, "..=", word, &name));
                }
                if low > high {
                    return self.say(codes::backward_range::backward_range(span, low, high));
                }
                Some(within(&named.operand, [(low, high)]))
            }
        }
    }

    /// Returns an end of a range: a number that the operand can have, and the word and name of the enum whose member it
    /// is.
    fn bound(&mut self, named: &NamedOperand, id: ExprId) -> Option<(i128, Option<(&'static str, String)>)> {
        let at = self.exprs[id].span;
        let own = self.own_names(named, id);
        let value = self.comparand(id, named, own.as_ref())?;
        let number = match (named.class(), value.number()) {
            (Class::Integer | Class::Cpu, Some(number)) => number,
            (Class::Nothing, _) => return self.not_filterable(named),
            _ => return self.mismatch(named, "a number", &value, id),
        };
        let of = self.scope(own.as_ref()).enum_of(&value).map(|of| (of.word(), of.name.clone()));
        self.in_range(named, number, false, at).map(|number| (number, of))
    }

    /// Reports values that are listed twice, and returns the members that repeat one.
    fn duplicates(&mut self, named: &NamedOperand, members: &[SetMember]) -> FxHashSet<usize> {
        // Programs write long sets: numbers and texts are looked up in a table; other members are rare.
        let mut numbers: FxHashMap<i128, Span> = FxHashMap::default();
        let mut texts: FxHashMap<String, Span> = FxHashMap::default();
        let mut others: Vec<(Value, Span)> = Vec::new();
        let mut repeated = FxHashSet::default();
        for (index, member) in members.iter().enumerate() {
            let SetMember::One(id) = member else { continue };
            let own = self.own_names(named, *id);
            let scope = self.scope(own.as_ref());
            let Ok(value) = const_eval(*id, self.exprs, &scope) else { continue };
            let span = self.exprs[*id].span;
            let first = match (value.number(), value) {
                (Some(number), _) => *numbers.entry(number).or_insert(span),
                (None, Value::Text(text)) => *texts.entry(text).or_insert(span),
                (None, value) => match others.iter().find(|(first, _)| first.is_same(&value)) {
                    Some((_, first)) => *first,
                    None => {
                        others.push((value, span));
                        span
                    }
                },
            };
            if first != span {
                self.found.push(codes::repeated_value::repeated_value(span, first));
                repeated.insert(index);
            }
        }
        repeated
    }
}

/// Returns the condition `operand in {..}`.
pub(super) fn within(operand: &Operand, ranges: impl IntoIterator<Item = (i128, i128)>) -> Condition {
    Condition::Atom(Atom::In { of: operand.number(), ranges: Ranges::new(ranges) })
}

/// Joins the members of one set: integers into one atom, the others into one atom each.
fn joined(members: Vec<Condition>) -> Condition {
    let mut numbers: Option<(Number, Vec<(i128, i128)>)> = None;
    let mut others = Vec::new();
    for member in members {
        let ranges = match &member {
            Condition::Atom(Atom::Compare { left, op: CompareOp::Eq, right: Number::Const(value) }) => {
                Some((left.clone(), vec![(*value, *value)]))
            }
            Condition::Atom(Atom::In { of, ranges }) => Some((of.clone(), ranges.iter().collect())),
            _ => None,
        };
        match (&mut numbers, ranges) {
            (Some((of, known)), Some((also, ranges))) if *of == also => known.extend(ranges),
            (numbers @ None, Some(first)) => *numbers = Some(first),
            _ => others.push(member),
        }
    }
    let numbers = numbers.map(|(of, ranges)| Condition::Atom(Atom::In { of, ranges: Ranges::new(ranges) }));
    Condition::any(numbers.into_iter().chain(others).collect())
}
