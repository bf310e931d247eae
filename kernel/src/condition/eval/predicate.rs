//! Prepared conditions: a list of atoms, each with the step that follows it for either result.

use crate::condition::context::Context;
use crate::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Sign};
use crate::condition::ranges::Ranges;
use crate::format::{EventFormat, IntegerType};
use crate::record::Record;

use super::integer::{IntAt, Integer, arithmetic};
use super::mask::{self, MaskAt};
use super::text::{self, TextAt};

/// A condition prepared for many records. Its result is that of [`eval`](super::eval).
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The steps, from the last atom to the first, so that a step knows its successors when it is made.
    steps: Vec<Step>,
    first: Next,
}

#[derive(Clone, Debug)]
struct Step {
    test: Test,
    then: Next,
    otherwise: Next,
}

/// The successor: the index of a step, or an index beyond the steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Next(u32);

impl Next {
    const TRUE: Next = Next(u32::MAX);
    const FALSE: Next = Next(u32::MAX - 1);
}

/// An atom whose fields have been looked up.
#[derive(Clone, Debug)]
enum Test {
    /// The [rank](IntAt::rank) of an integer field is in, or outside of, one run; the most frequent test.
    Run {
        of: IntAt,
        first: u64,
        /// The distance from the first value to the last.
        length: u64,
        inside: bool,
    },
    /// The rank of an integer field is in one of several runs: first and last, ascending.
    Runs {
        of: IntAt,
        runs: Box<[(u64, u64)]>,
    },
    /// Some bits of an integer field are, or are not, this value.
    Bits {
        of: IntAt,
        mask: u64,
        value: u64,
        equal: bool,
    },
    Compare {
        left: Operand,
        op: CompareOp,
        right: Operand,
    },
    In {
        of: Operand,
        ranges: Ranges,
    },
    Text {
        of: TextAt,
        test: text::Ready,
    },
    Mask {
        of: MaskAt,
        test: MaskTest,
        cpus: Ranges,
    },
    Function {
        of: IntAt,
        name: String,
    },
    /// A test that does not fit its field.
    Never,
}

/// A [`Number`] whose fields have been looked up.
#[derive(Clone, Debug)]
enum Operand {
    Const(Integer),
    Recorded(IntAt),
    Cpu,
    Tgid,
    Cast { to: IntegerType, of: Box<Operand> },
    Binary { op: NumberOp, sign: Sign, sides: Box<(Operand, Operand)> },
}

impl Predicate {
    /// Prepares a condition, and looks up the fields that [`eval`](super::eval) looks up for each record of the event.
    pub fn new(condition: &Condition, event: &EventFormat) -> Predicate {
        let mut steps = Vec::new();
        let first = flatten(condition, event, (Next::TRUE, Next::FALSE), &mut steps);
        Predicate { steps, first }
    }

    /// Returns whether the condition holds for a record of the event whose fields it names.
    #[inline]
    pub fn holds(&self, record: &Record<'_>, context: &dyn Context) -> bool {
        let mut next = self.first;
        // The successor of a step has a smaller index, so the loop ends.
        while let Some(step) = self.steps.get(next.0 as usize) {
            let holds = step.test.holds(record, context).unwrap_or(false);
            next = if holds { step.then } else { step.otherwise };
        }
        next == Next::TRUE
    }
}

/// Adds the steps that decide a condition, and returns the first of them.
fn flatten(
    condition: &Condition,
    event: &EventFormat,
    (then, otherwise): (Next, Next),
    steps: &mut Vec<Step>,
) -> Next {
    match condition {
        Condition::Const(true) => then,
        Condition::Const(false) => otherwise,
        Condition::Not(inner) => flatten(inner, event, (otherwise, then), steps),
        Condition::And(parts) => {
            parts.iter().rev().fold(then, |next, part| flatten(part, event, (next, otherwise), steps))
        }
        Condition::Or(parts) => {
            parts.iter().rev().fold(otherwise, |next, part| flatten(part, event, (then, next), steps))
        }
        Condition::Atom(atom) => {
            steps.push(Step { test: Test::of(atom, event).unwrap_or(Test::Never), then, otherwise });
            Next(steps.len() as u32 - 1)
        }
    }
}

impl Test {
    /// Prepares an atom; `None` if a field is not of the kind that the atom needs.
    fn of(atom: &Atom, event: &EventFormat) -> Option<Test> {
        Some(match atom {
            Atom::Compare {
                left: left @ (Number::Field(_) | Number::Pid),
                op,
                right: Number::Const(value),
            } => {
                let of = recorded(left, event)?;
                Test::values(of, &op.matching(Integer::of(*value).value(), of.range()))
            }
            Atom::Compare { left, op: op @ (CompareOp::Eq | CompareOp::Ne), right: Number::Const(value) }
                if let Some(test) = Test::bits((left, event), *op == CompareOp::Eq, *value) =>
            {
                test
            }
            Atom::Compare { left, op, right } => {
                Test::Compare { left: Operand::of(left, event)?, op: *op, right: Operand::of(right, event)? }
            }
            Atom::In { of: of @ (Number::Field(_) | Number::Pid), ranges } => {
                Test::values(recorded(of, event)?, ranges)
            }
            Atom::In { of, ranges } => Test::In { of: Operand::of(of, event)?, ranges: ranges.clone() },
            Atom::Text { of, test } => Test::Text { of: TextAt::of(of)?, test: text::Ready::of(test) },
            Atom::Mask { of, test, cpus } => {
                Test::Mask { of: MaskAt::of(of)?, test: *test, cpus: cpus.clone() }
            }
            Atom::Function { of, name } => Test::Function { of: IntAt::address(of)?, name: name.clone() },
        })
    }

    /// Returns the test that an integer field is one of these values.
    fn values(of: IntAt, values: &Ranges) -> Test {
        let (min, max) = of.range();
        let others = values.complement(min, max);
        let values = others.complement(min, max);
        let ranks = |values: &Ranges| -> Vec<(u64, u64)> {
            values.iter().map(|(first, last)| (of.rank_of(first), of.rank_of(last))).collect()
        };
        match (&ranks(&values)[..], &ranks(&others)[..]) {
            (&[(first, last)], _) => Test::Run { of, first, length: last - first, inside: true },
            (_, &[(first, last)]) => Test::Run { of, first, length: last - first, inside: false },
            (runs, _) => Test::Runs { of, runs: runs.into() },
        }
    }

    /// Returns the test that some bits of an integer field are, or are not, a constant; `None` if the number is not of
    /// this form.
    fn bits((left, event): (&Number, &EventFormat), equal: bool, value: i128) -> Option<Test> {
        let Number::Binary { op: NumberOp::And, sign, left, right } = left else { return None };
        let (of @ (Number::Field(_) | Number::Pid), Number::Const(mask)) = (&**left, &**right) else {
            return None;
        };
        let (min, max) = sign.range();
        // The bits cannot be any other number, though its low 64 bits may be the same.
        let value = Integer::of(value).value();
        (min..=max).contains(&value).then_some(())?;
        Some(Test::Bits {
            of: recorded(of, event)?,
            mask: Integer::of(*mask).bits,
            value: value as u64,
            equal,
        })
    }

    /// Returns whether the test holds; `None` if it cannot be evaluated.
    #[inline]
    fn holds(&self, record: &Record<'_>, context: &dyn Context) -> Option<bool> {
        Some(match self {
            Test::Run { of, first, length, inside } => {
                (of.rank(record)?.wrapping_sub(*first) <= *length) == *inside
            }
            Test::Bits { of, mask, value, equal } => (of.bits(record)? & mask == *value) == *equal,
            Test::Text { of, test } => test.holds(*of, record, context)?,
            other => other.computes(record, context)?,
        })
    }

    /// Evaluates the less frequent tests, for [`Self::holds`].
    #[inline(never)]
    fn computes(&self, record: &Record<'_>, context: &dyn Context) -> Option<bool> {
        Some(match self {
            Test::Runs { of, runs } => {
                let rank = of.rank(record)?;
                let before = runs.partition_point(|(first, _)| *first <= rank);
                runs[..before].last().is_some_and(|(_, last)| rank <= *last)
            }
            Test::Compare { left, op, right } => {
                op.holds(left.read(record, context)?.value(), right.read(record, context)?.value())
            }
            Test::In { of, ranges } => ranges.contains(of.read(record, context)?.value()),
            Test::Mask { of, test, cpus } => mask::holds(*test, of.read(record)?, cpus),
            Test::Function { of, name } => context.function(name)?.contains(&of.word(record)?),
            Test::Run { .. } | Test::Bits { .. } | Test::Text { .. } => return self.holds(record, context),
            Test::Never => return None,
        })
    }
}

/// Returns where a record holds a number; `None` if it does not.
pub(super) fn recorded(number: &Number, event: &EventFormat) -> Option<IntAt> {
    match number {
        Number::Field(field) => IntAt::of(field),
        Number::Pid => IntAt::of(event.task_pid()?),
        _ => None,
    }
}

impl Operand {
    fn of(number: &Number, event: &EventFormat) -> Option<Operand> {
        Some(match number {
            Number::Const(value) => Operand::Const(Integer::of(*value)),
            Number::Field(_) | Number::Pid => Operand::Recorded(recorded(number, event)?),
            Number::Cpu => Operand::Cpu,
            Number::Tgid => Operand::Tgid,
            Number::Cast { to, of } => Operand::Cast { to: *to, of: Box::new(Operand::of(of, event)?) },
            Number::Binary { op, sign, left, right } => {
                let sides = Box::new((Operand::of(left, event)?, Operand::of(right, event)?));
                Operand::Binary { op: *op, sign: *sign, sides }
            }
        })
    }

    fn read(&self, record: &Record<'_>, context: &dyn Context) -> Option<Integer> {
        match self {
            Operand::Const(value) => Some(*value),
            Operand::Recorded(at) => at.read(record),
            Operand::Cpu => Some(Integer::of(context.cpu()?.into())),
            Operand::Tgid => Some(Integer::of(context.tgid()?.into())),
            Operand::Cast { to, of } => Some(of.read(record, context)?.cast(*to)),
            Operand::Binary { op, sign, sides } => {
                arithmetic(*op, *sign, sides.0.read(record, context)?, sides.1.read(record, context)?)
            }
        }
    }
}
