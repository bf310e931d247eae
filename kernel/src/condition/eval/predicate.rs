//! A condition made ready: its atoms in a row, each with where to go on.

use crate::condition::context::Context;
use crate::condition::ir::{Atom, CompareOp, Condition, MaskTest, Number, NumberOp, Sign, TextTest};
use crate::condition::ranges::Ranges;
use crate::format::IntegerType;
use crate::record::Record;

use super::integer::{IntAt, Integer, arithmetic};
use super::mask::{self, MaskAt};
use super::text::{self, TextAt};

/// A condition that is asked of many records. Gives what [`eval`](super::eval) gives.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// From the last atom to the first, so that a step knows its successors when it is made.
    steps: Vec<Step>,
    entry: Next,
}

#[derive(Clone, Debug)]
struct Step {
    test: Test,
    then: Next,
    otherwise: Next,
}

/// Where to go on.
#[derive(Clone, Copy, Debug)]
enum Next {
    Step(u32),
    Decided(bool),
}

/// An atom whose fields have been looked up.
#[derive(Clone, Debug)]
enum Test {
    /// An integer field in, or outside of, one run of values; what nearly all conditions ask.
    Run {
        of: IntAt,
        first: u64,
        last: u64,
        inside: bool,
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
        test: TextTest,
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
    /// Asks of a field what it does not hold.
    Never,
}

/// A [`Number`] whose fields have been looked up.
#[derive(Clone, Debug)]
enum Operand {
    Const(Integer),
    Field(IntAt),
    Cpu,
    Cast { to: IntegerType, of: Box<Operand> },
    Binary { op: NumberOp, sign: Sign, sides: Box<(Operand, Operand)> },
}

impl Predicate {
    /// Looks up what [`eval`](super::eval) would look up for each record.
    pub fn new(condition: &Condition) -> Predicate {
        let mut steps = Vec::new();
        let entry = flatten(condition, Next::Decided(true), Next::Decided(false), &mut steps);
        Predicate { steps, entry }
    }

    /// Whether the condition holds for a record of the event whose fields it names.
    pub fn holds(&self, record: &Record<'_>, context: &dyn Context) -> bool {
        let mut next = self.entry;
        loop {
            match next {
                Next::Decided(value) => return value,
                Next::Step(index) => {
                    // Every index was made from the length of `steps`, and leads to a smaller one.
                    let Some(step) = self.steps.get(index as usize) else { return false };
                    let holds = step.test.holds(record, context).unwrap_or(false);
                    next = if holds { step.then } else { step.otherwise };
                }
            }
        }
    }
}

/// Adds the steps that decide a condition, and returns the first of them.
fn flatten(condition: &Condition, then: Next, otherwise: Next, steps: &mut Vec<Step>) -> Next {
    match condition {
        Condition::Const(true) => then,
        Condition::Const(false) => otherwise,
        Condition::Not(inner) => flatten(inner, otherwise, then, steps),
        Condition::And(parts) => {
            parts.iter().rev().fold(then, |next, part| flatten(part, next, otherwise, steps))
        }
        Condition::Or(parts) => {
            parts.iter().rev().fold(otherwise, |next, part| flatten(part, then, next, steps))
        }
        Condition::Atom(atom) => {
            steps.push(Step { test: Test::of(atom).unwrap_or(Test::Never), then, otherwise });
            Next::Step(steps.len() as u32 - 1)
        }
    }
}

impl Test {
    /// `None` if a field is not of the kind that is asked for.
    fn of(atom: &Atom) -> Option<Test> {
        Some(match atom {
            Atom::Compare { left: Number::Field(field), op, right: Number::Const(value) } => {
                let of = IntAt::of(field)?;
                let values = matching(of.sign(), *op, Integer::of(*value).value());
                Test::run(of, &values).unwrap_or(Test::In { of: Operand::Field(of), ranges: values })
            }
            Atom::Compare { left, op, right } => {
                Test::Compare { left: Operand::of(left)?, op: *op, right: Operand::of(right)? }
            }
            Atom::In { of: Number::Field(field), ranges } => {
                let of = IntAt::of(field)?;
                Test::run(of, ranges).unwrap_or(Test::In { of: Operand::Field(of), ranges: ranges.clone() })
            }
            Atom::In { of, ranges } => Test::In { of: Operand::of(of)?, ranges: ranges.clone() },
            Atom::Text { of, test } => Test::Text { of: TextAt::of(of)?, test: test.clone() },
            Atom::Mask { of, test, cpus } => {
                Test::Mask { of: MaskAt::of(of)?, test: *test, cpus: cpus.clone() }
            }
            Atom::Function { of, name } => Test::Function { of: IntAt::address(of)?, name: name.clone() },
        })
    }

    /// The test for one run of values; `None` if they, and all others, are several runs.
    fn run(of: IntAt, values: &Ranges) -> Option<Test> {
        let (min, max) = of.sign().range();
        let run = |values: &Ranges, inside| match values.iter().collect::<Vec<_>>()[..] {
            [(first, last)] => {
                let (first, last) = (place(of.sign(), first as u64), place(of.sign(), last as u64));
                Some(Test::Run { of, first, last, inside })
            }
            _ => None,
        };
        let others = values.complement(min, max);
        run(&others, false).or_else(|| run(&others.complement(min, max), true))
    }

    /// Whether it holds; `None` if it cannot be evaluated.
    fn holds(&self, record: &Record<'_>, context: &dyn Context) -> Option<bool> {
        Some(match self {
            Test::Run { of, first, last, inside } => {
                let value = of.read(record)?;
                (*first..=*last).contains(&place(value.sign, value.bits)) == *inside
            }
            Test::Compare { left, op, right } => {
                op.holds(left.read(record, context)?.value(), right.read(record, context)?.value())
            }
            Test::In { of, ranges } => ranges.contains(of.read(record, context)?.value()),
            Test::Text { of, test } => text::holds(test, of.read(record, context)?),
            Test::Mask { of, test, cpus } => mask::holds(*test, of.read(record)?, cpus),
            Test::Function { of, name } => context.function(name)?.contains(&of.word(record)?),
            Test::Never => return None,
        })
    }
}

/// The numbers of a sign that compare so with a constant.
fn matching(sign: Sign, op: CompareOp, value: i128) -> Ranges {
    let (min, max) = sign.range();
    let below = Ranges::new([(min, max.min(value.saturating_sub(1)))]);
    let same = Ranges::new([(min.max(value), max.min(value))]);
    let above = Ranges::new([(min.max(value.saturating_add(1)), max)]);
    match op {
        CompareOp::Eq => same,
        CompareOp::Ne => below.union(&above),
        CompareOp::Lt => below,
        CompareOp::Le => below.union(&same),
        CompareOp::Gt => above,
        CompareOp::Ge => same.union(&above),
    }
}

/// Where a number stands in the order of its sign, counted from the smallest.
fn place(sign: Sign, bits: u64) -> u64 {
    match sign {
        Sign::Signed => bits ^ 1 << 63,
        Sign::Unsigned => bits,
    }
}

impl Operand {
    fn of(number: &Number) -> Option<Operand> {
        Some(match number {
            Number::Const(value) => Operand::Const(Integer::of(*value)),
            Number::Field(field) => Operand::Field(IntAt::of(field)?),
            Number::Cpu => Operand::Cpu,
            Number::Cast { to, of } => Operand::Cast { to: *to, of: Box::new(Operand::of(of)?) },
            Number::Binary { op, sign, left, right } => {
                let sides = Box::new((Operand::of(left)?, Operand::of(right)?));
                Operand::Binary { op: *op, sign: *sign, sides }
            }
        })
    }

    fn read(&self, record: &Record<'_>, context: &dyn Context) -> Option<Integer> {
        match self {
            Operand::Const(value) => Some(*value),
            Operand::Field(at) => at.read(record),
            Operand::Cpu => Some(Integer::of(context.cpu()?.into())),
            Operand::Cast { to, of } => Some(of.read(record, context)?.cast(*to)),
            Operand::Binary { op, sign, sides } => {
                arithmetic(*op, *sign, sides.0.read(record, context)?, sides.1.read(record, context)?)
            }
        }
    }
}
