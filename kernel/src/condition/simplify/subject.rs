//! Conversion of atoms to sets: the subject of an atom, and the values for which it is true.

use rustc_hash::FxHashMap;

use crate::condition::ir::{Atom, CompareOp, Number, Text, TextStorage};
use crate::condition::ranges::Ranges;
use crate::format::{Field, TASK_PID};
use crate::tables::limits::{COMMON_HEADER_BYTES, POINTED_TEXT_BYTES};

use super::number::{ALL, Domain, bounds, deciding_range, fold, reduce};
use super::points::{Kind, PointSet};

/// The value of a number that represents the case without a value. It is below all others.
pub(super) const BOTTOM: i128 = -(1 << 100);

/// The subject of an atom. Two atoms with the same subject can be evaluated for the same records.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// The value of a number.
    Number(Number),
    /// The order of two numbers: -1, 0 or 1 as the first is less, equal or greater.
    Pair(Number, Number),
    /// Whether an address is in the function: 1, else 0. Two functions are unrelated subjects: names can share
    /// addresses.
    Function(Field, String),
    Text(Text),
    Mask(Field),
}

impl Subject {
    /// Returns the subject by which all ways to write it are known. The literals keep the one that was written.
    fn known_as(&self) -> Subject {
        match self {
            Subject::Number(number) => Subject::Number(thread_id(number)),
            Subject::Pair(left, right) => Subject::Pair(thread_id(left), thread_id(right)),
            other => other.clone(),
        }
    }
}

/// Returns a number with the thread id written in one way: the field of the header that holds it is [`Number::Pid`]
/// too.
fn thread_id(number: &Number) -> Number {
    match number {
        Number::Field(field) if field.name == TASK_PID && field.offset < COMMON_HEADER_BYTES => Number::Pid,
        Number::Const(_) | Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => number.clone(),
        Number::Cast { to, of } => Number::Cast { to: *to, of: Box::new(thread_id(of)) },
        Number::Binary { op, sign, left, right } => Number::Binary {
            op: *op,
            sign: *sign,
            left: Box::new(thread_id(left)),
            right: Box::new(thread_id(right)),
        },
    }
}

/// A subject and its own properties.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) subject: Subject,
    /// The values that it can have, for numbers, pairs and functions; [`BOTTOM`] is among them if it can lack a value.
    pub(super) domain: Domain,
    /// Whether it always has a value.
    pub(super) total: bool,
    /// The length of the longest text in bytes, where there is one.
    longest: Option<usize>,
}

/// The values of a subject for which a literal is true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// Values of a number, a pair or a function; [`BOTTOM`] in it stands for the case without a value.
    Values(Ranges),
    /// Values of a text or a mask.
    Points(PointSet),
}

/// The meaning of an atom.
#[derive(Debug)]
pub(super) enum AtomMeaning {
    /// The atom has this value for every record. If the range of its number is the reason, that range.
    Const(bool, Option<(i128, i128)>),
    /// The subject is in the set.
    In(usize, Set),
}

/// All subjects of a condition, by index.
#[derive(Debug, Default)]
pub(super) struct Topics {
    ids: FxHashMap<Subject, usize>,
    topics: Vec<Topic>,
}

impl Topics {
    pub(super) fn get(&self, id: usize) -> &Topic {
        &self.topics[id]
    }

    fn id(&mut self, subject: Subject) -> usize {
        let known = subject.known_as();
        if let Some(id) = self.ids.get(&known) {
            return *id;
        }
        let id = self.topics.len();
        self.ids.insert(known, id);
        self.topics.push(Topic::new(subject));
        id
    }

    /// Returns the meaning of an atom.
    pub(super) fn meaning(&mut self, atom: &Atom) -> AtomMeaning {
        match atom {
            Atom::Compare { left, op, right } => self.compare(left, *op, right),
            Atom::In { of, ranges } => match fold(of) {
                None => AtomMeaning::Const(false, None),
                Some(Number::Const(value)) => AtomMeaning::Const(ranges.contains(value), None),
                Some(of) => self.number(of, ranges),
            },
            Atom::Text { of, test } => {
                let id = self.id(Subject::Text(of.clone()));
                let kind = Kind::of_text(test, self.get(id).longest);
                AtomMeaning::In(id, Set::Points(PointSet { kind, bottom: false }))
            }
            Atom::Mask { of, test, cpus } => {
                let id = self.id(Subject::Mask(of.clone()));
                AtomMeaning::In(id, Set::Points(PointSet { kind: Kind::of_mask(*test, cpus), bottom: false }))
            }
            Atom::Function { of, name } => {
                let id = self.id(Subject::Function(of.clone(), name.clone()));
                AtomMeaning::In(id, Set::Values(Ranges::new([(1, 1)])))
            }
        }
    }

    fn compare(&mut self, left: &Number, op: CompareOp, right: &Number) -> AtomMeaning {
        let (Some(left), Some(right)) = (fold(left), fold(right)) else {
            return AtomMeaning::Const(false, None);
        };
        match (left, right) {
            (Number::Const(a), Number::Const(b)) => AtomMeaning::Const(op.holds(a, b), None),
            (left, Number::Const(value)) => self.number(left, &op.matching(value, ALL)),
            (Number::Const(value), right) => self.number(right, &op.flipped().matching(value, ALL)),
            (left, right) => {
                let turned = Subject::Pair(right, left);
                let (subject, op) = match (self.ids.contains_key(&turned.known_as()), turned) {
                    (true, turned) => (turned, op.flipped()),
                    (false, Subject::Pair(right, left)) => (Subject::Pair(left, right), op),
                    (false, other) => (other, op),
                };
                let id = self.id(subject);
                let set = self.get(id).domain.clip(&orders(op));
                AtomMeaning::In(id, Set::Values(set))
            }
        }
    }

    /// Returns the meaning of an atom which tests that a number is in a set.
    fn number(&mut self, asked: Number, wanted: &Ranges) -> AtomMeaning {
        let (mut number, mut set) = reduce(asked.clone(), Domain::of(&asked).clip(wanted));
        // An operand of another operation may fold now that it stands alone.
        loop {
            match fold(&number) {
                None => return AtomMeaning::Const(false, None),
                Some(Number::Const(value)) => return AtomMeaning::Const(set.contains(value), None),
                Some(folded) if folded == number => break,
                Some(folded) => (number, set) = reduce(folded, set),
            }
        }
        let id = self.id(Subject::Number(number));
        let topic = self.get(id);
        let set = Set::Values(topic.domain.clip(&set));
        match topic.constant(&set) {
            // The reason is reported for the number as it is written.
            Some(value) => AtomMeaning::Const(value, deciding_range(&asked, wanted)),
            None => AtomMeaning::In(id, set),
        }
    }
}

/// Returns those of -1, 0 and 1 that are orders of two numbers for which the comparison holds.
pub(super) fn orders(op: CompareOp) -> Ranges {
    op.matching(0, (-1, 1))
}

impl Topic {
    fn new(subject: Subject) -> Topic {
        let total = match &subject {
            Subject::Number(number) => number.is_total(),
            Subject::Pair(left, right) => left.is_total() && right.is_total(),
            // Only the truth of the test matters.
            Subject::Function(..) => true,
            Subject::Text(text) => text.is_total(),
            // Its location in the record may point anywhere.
            Subject::Mask(_) => false,
        };
        let mut domain = match &subject {
            Subject::Number(number) => Domain::of(number),
            Subject::Pair(left, right) => Domain::of_ranges(pair(left, right)),
            Subject::Function(..) => Domain::of_ranges(Ranges::new([(0, 1)])),
            Subject::Text(_) | Subject::Mask(_) => Domain::of_ranges(Ranges::default()),
        };
        if !total {
            domain.ranges = domain.ranges.union(&Ranges::new([(BOTTOM, BOTTOM)]));
        }
        let longest = match &subject {
            Subject::Text(text) => longest(text),
            _ => None,
        };
        Topic { subject, domain, total, longest }
    }

    /// Returns the complement of a set.
    pub(super) fn complement(&self, set: &Set) -> Set {
        match set {
            Set::Values(values) => Set::Values(self.outside(values)),
            Set::Points(points) => Set::Points(points.clone().complement(self.total)),
        }
    }

    /// Returns the values of the domain that are not in a set.
    pub(super) fn outside(&self, values: &Ranges) -> Ranges {
        self.domain.clip(&values.complement(BOTTOM, i128::from(u64::MAX)))
    }

    /// Returns the value of a literal that is the same for every record.
    pub(super) fn constant(&self, set: &Set) -> Option<bool> {
        match set {
            Set::Values(values) if self.domain.clip(values).is_empty() => Some(false),
            Set::Values(values) if self.outside(values).is_empty() => Some(true),
            Set::Points(PointSet { kind: Kind::Nothing, bottom: false }) => Some(false),
            Set::Points(PointSet { kind: Kind::Everything, bottom }) if *bottom || self.total => Some(true),
            _ => None,
        }
    }

    /// Returns whether it is known that the first set is a subset of the other.
    pub(super) fn implies(&self, set: &Set, other: &Set) -> bool {
        match (set, other) {
            (Set::Values(set), Set::Values(other)) => {
                self.domain.clip(&set.intersection(&self.outside(other))).is_empty()
            }
            (Set::Points(set), Set::Points(other)) => set.implies(other),
            _ => false,
        }
    }
}

/// Returns the orders that two numbers can have.
fn pair(left: &Number, right: &Number) -> Ranges {
    let ends = |number| bounds(&Domain::of(number).ranges);
    let is_same = thread_id(left) == thread_id(right);
    let ((a, b), (c, d)) = match (is_same, ends(left), ends(right)) {
        (false, Some(left), Some(right)) => (left, right),
        (false, ..) => return Ranges::new([(-1, 1)]),
        (true, ..) => return Ranges::new([(0, 0)]),
    };
    let possible = [(-1, a < d), (0, a <= d && c <= b), (1, b > c)];
    Ranges::new(possible.into_iter().filter(|(_, is)| *is).map(|(order, _)| (order, order)))
}

/// Returns the length of the longest text in bytes.
fn longest(text: &Text) -> Option<usize> {
    match text.storage()? {
        // A field of size 0 extends to the end of the record.
        TextStorage::Fixed { room } => (room > 0).then_some(room),
        TextStorage::Kernel | TextStorage::User => Some(POINTED_TEXT_BYTES - 1),
        TextStorage::Dynamic => None,
    }
}
