//! Conversion of sets to conditions, and the cost of conditions.

use crate::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Text, TextTest};
use crate::condition::ranges::Ranges;

use super::number::{ALL, bounds};
use super::points::{Kind, Point, PointSet};
use super::subject::{BOTTOM, Set, Subject, Topic, orders};

/// The largest number of values of masked bits that are written as one comparison each.
const WRITTEN_OUT: usize = 8;

/// The comparison operators, the most readable first.
const OPERATORS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

/// Returns the negation of an atom. If the atom can always be evaluated, that is the opposite atom, if there is one.
/// Otherwise it is not, since an atom without a value and its opposite are both false.
pub(super) fn negation(atom: &Atom) -> Condition {
    let opposite = match atom {
        Atom::Compare { left, op, right } => {
            Some(Atom::Compare { left: left.clone(), op: op.opposite(), right: right.clone() })
        }
        Atom::Text { of, test: TextTest::Eq(text) } => {
            Some(Atom::Text { of: of.clone(), test: TextTest::Ne(text.clone()) })
        }
        Atom::Text { of, test: TextTest::Ne(text) } => {
            Some(Atom::Text { of: of.clone(), test: TextTest::Eq(text.clone()) })
        }
        _ => None,
    };
    match opposite {
        Some(opposite) if atom.is_total() => Condition::Atom(opposite),
        _ => Condition::Not(Box::new(Condition::Atom(atom.clone()))),
    }
}

/// Returns the number of comparisons of a condition as the text of a kernel's filter. A computation, which such a
/// filter cannot express, counts as several.
pub(super) fn price(condition: &Condition) -> usize {
    const COMPUTES: usize = 4;
    let masked = |number: &Number| matches!(number, Number::Binary { op: NumberOp::And, .. });
    match condition {
        Condition::Const(_) => 0,
        Condition::Atom(Atom::Compare { left, op, right }) => {
            let equality = matches!(op, CompareOp::Eq | CompareOp::Ne);
            // Bits are tested for equality only: one test for those that are set, and one for the others.
            let bits = match (masked(left), equality) {
                (false, _) => 0,
                (true, true) => 1,
                (true, false) => COMPUTES,
            };
            let turned = if matches!(left, Number::Const(_)) { COMPUTES } else { 0 };
            1 + bits + turned + COMPUTES * (operations(left) + operations(right))
        }
        Condition::Atom(Atom::In { of, ranges }) => {
            let values: usize = ranges.iter().map(|(first, last)| if first == last { 1 } else { 2 }).sum();
            let order = if masked(of) { COMPUTES } else { 0 };
            values + order + COMPUTES * operations(of)
        }
        Condition::Atom(_) => 1,
        Condition::Not(inner) => price(inner),
        Condition::And(parts) | Condition::Or(parts) => parts.iter().map(price).sum(),
    }
}

/// Returns the number of operations that a filter cannot express: all but one test of bits.
fn operations(number: &Number) -> usize {
    match number {
        Number::Const(_) | Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => 0,
        Number::Cast { of, .. } => 1 + operations(of),
        Number::Binary { op: NumberOp::And, left, right, .. }
            if matches!(
                (&**left, &**right),
                (Number::Field(_) | Number::Pid, Number::Const(_))
                    | (Number::Const(_), Number::Field(_) | Number::Pid)
            ) =>
        {
            0
        }
        Number::Binary { left, right, .. } => 1 + operations(left) + operations(right),
    }
}

/// Returns the shortest condition which states that a subject is in a set, if one is found. The set is not constant.
pub(super) fn write(topic: &Topic, set: &Set) -> Option<Condition> {
    match (&topic.subject, set) {
        (Subject::Number(number), Set::Values(values)) => {
            let others = topic.outside(values);
            let says = |values: &Ranges| number_in(number, values, topic);
            let not = |values: &Ranges| Some(negated(says(values)?));
            // The complement of the other values is the set again, extended by values that the number cannot have:
            // often fewer ranges.
            let filled = topic.outside(&others);
            let written = match (topic.total, values.contains(BOTTOM)) {
                (true, _) => [says(values), says(&filled), not(&others)],
                (false, false) => [says(values), None, None],
                (false, true) => [not(&others), None, None],
            };
            written.into_iter().flatten().min_by_key(price)
        }
        (Subject::Pair(left, right), Set::Values(values)) => {
            let bottom = values.contains(BOTTOM);
            let wanted = if bottom { topic.outside(values) } else { topic.domain.clip(values) };
            let says = |op: &CompareOp| topic.domain.clip(&orders(*op)) == wanted;
            let op = OPERATORS.into_iter().find(says)?;
            let atom = Condition::Atom(Atom::Compare { left: left.clone(), op, right: right.clone() });
            Some(if bottom { Condition::not(atom) } else { atom })
        }
        (Subject::Function(of, name), Set::Values(values)) => {
            let atom = Condition::Atom(Atom::Function { of: of.clone(), name: name.clone() });
            Some(if values.contains(1) { atom } else { Condition::not(atom) })
        }
        (Subject::Text(text), Set::Points(points)) => points_in(points, &|equal, point| match point {
            Point::Text(value) => Some(text_atom(text, equal, value)),
            Point::Mask(_) => None,
        }),
        (Subject::Mask(field), Set::Points(points)) => points_in(points, &|equal, point| match point {
            Point::Mask(cpus) => {
                let test = if equal { MaskTest::Equal } else { MaskTest::Differ };
                Some(Atom::Mask { of: field.clone(), test, cpus: cpus.clone() })
            }
            Point::Text(_) => None,
        }),
        _ => None,
    }
}

fn text_atom(of: &Text, equal: bool, value: &str) -> Atom {
    let test = if equal { TextTest::Eq(value.to_owned()) } else { TextTest::Ne(value.to_owned()) };
    Atom::Text { of: of.clone(), test }
}

/// Returns the test for equality with one value, or its negation. `atom` makes `== value`, or `!= value`.
fn points_in(set: &PointSet, atom: &dyn Fn(bool, &Point) -> Option<Atom>) -> Option<Condition> {
    match (&set.kind, set.bottom) {
        (Kind::Is(point), false) => Some(Condition::Atom(atom(true, point)?)),
        (Kind::IsNot(point), false) => Some(Condition::Atom(atom(false, point)?)),
        (Kind::Is(point), true) => Some(Condition::not(Condition::Atom(atom(false, point)?))),
        (Kind::IsNot(point), true) => Some(Condition::not(Condition::Atom(atom(true, point)?))),
        _ => None,
    }
}

/// Returns a condition that is true where a number has one of these values, and false where it has none.
fn number_in(number: &Number, values: &Ranges, topic: &Topic) -> Option<Condition> {
    let numbers = topic.domain.ranges.intersection(&Ranges::new([ALL]));
    let others = topic.domain.clip(&values.complement(BOTTOM + 1, i128::from(u64::MAX)));
    let (first, last) = bounds(values)?;
    let compare = |op, value| Some(Condition::compare(number.clone(), op, value));
    if let Some(value) = values.single() {
        return compare(CompareOp::Eq, value);
    }
    if let Some(value) = others.single() {
        return compare(CompareOp::Ne, value);
    }
    if *values == from(&numbers, first) {
        return compare(CompareOp::Ge, first);
    }
    if *values == numbers.intersection(&Ranges::new([(BOTTOM + 1, last)])) {
        return compare(CompareOp::Le, last);
    }
    let masked = matches!(number, Number::Binary { op: NumberOp::And, .. });
    if masked && values.iter().len() <= WRITTEN_OUT && values.iter().all(|(first, last)| first == last) {
        return Some(Condition::any(
            values
                .iter()
                .map(|(value, _)| Condition::compare(number.clone(), CompareOp::Eq, value))
                .collect(),
        ));
    }
    Some(Condition::Atom(Atom::In { of: number.clone(), ranges: values.clone() }))
}

fn from(numbers: &Ranges, first: i128) -> Ranges {
    numbers.intersection(&Ranges::new([(first, i128::from(u64::MAX))]))
}

/// Returns the negation of a condition, as the opposite atom where that is equivalent.
fn negated(condition: Condition) -> Condition {
    match &condition {
        Condition::Atom(atom) => negation(atom),
        Condition::Or(parts) => Condition::all(parts.iter().cloned().map(negated).collect()),
        _ => Condition::not(condition),
    }
}
