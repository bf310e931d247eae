//! Tests of numbers: the values of steps, and what is decided by them.

use cranelift::prelude::*;
use tracec_kernel::condition::ir::{CompareOp, NumberOp, Sign};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::format::IntegerType;

use super::emitter::{Bounds, Emitter, Exits, Part, integer};
use super::entry::CPU;
use super::set::{self, Kind};
use crate::decoder::{Decision, Step};

/// Writes the decision of a test of numbers.
pub(super) fn write(
    emitter: &mut Emitter<'_>,
    steps: &[Step],
    decision: &Decision,
    record: Bounds,
    exits: Exits,
) {
    match decision {
        Decision::Constant { of, sign, op, value } => {
            let ranges = op.matching(*value, sign.range());
            member(emitter, steps, (*of, *sign), &ranges, record, exits);
        }
        Decision::Ranges { of, sign, ranges } => {
            member(emitter, steps, (*of, *sign), ranges, record, exits);
        }
        Decision::Order { left, op, right } => {
            let values = values(emitter, steps, record, exits.otherwise);
            let (a, b) = (values[left.0], values[right.0]);
            let holds = ordered(emitter, (a, left.1), *op, (b, right.1));
            emitter.branch(holds, exits);
        }
    }
}

/// Writes whether a value is in one of some ranges. One that is read is compared as wide as it is.
fn member(
    emitter: &mut Emitter<'_>,
    steps: &[Step],
    (of, sign): (usize, Sign),
    ranges: &Ranges,
    record: Bounds,
    exits: Exits,
) {
    let (value, kind) = match steps[of] {
        Step::Read { offset, means, .. } => {
            let value = emitter.load(integer(means.bytes), record.data, offset as i32);
            (value, Kind { bytes: means.bytes, signed: means.signed })
        }
        _ => {
            let values = values(emitter, steps, record, exits.otherwise);
            (values[of], Kind { bytes: 8, signed: sign == Sign::Signed })
        }
    };
    emitter.part(Part::Set, |emitter| set::write(emitter, value, kind, ranges, exits));
}

/// Writes the values of all steps, in 64 bits; one that has none continues at `otherwise`.
fn values(emitter: &mut Emitter<'_>, steps: &[Step], record: Bounds, otherwise: Block) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::with_capacity(steps.len());
    for step in steps {
        let value = match *step {
            Step::Constant(value) => emitter.constant(types::I64, value as i64),
            // The low bytes of a little-endian number are the first.
            Step::Read { offset, means, .. } => {
                emitter.load_wide(integer(means.bytes), means.signed, record.data, offset as i32)
            }
            Step::Cpu => {
                let cpu = emitter.state(types::I32, CPU);
                emitter.widen(cpu, false)
            }
            // The thread group is not in a record; a program has no such test.
            Step::Tgid => emitter.constant(types::I64, 0),
            Step::Cast { of, to } => cast(emitter, values[of], to),
            Step::Binary { op, sign, left, right } => {
                let divisor = if let Step::Constant(value) = steps[right] { Some(value) } else { None };
                let operands = Operands { left: values[left], right: values[right], right_is: divisor };
                binary(emitter, op, sign == Sign::Signed, operands, otherwise)
            }
        };
        values.push(value);
    }
    values
}

fn cast(emitter: &mut Emitter<'_>, value: Value, to: IntegerType) -> Value {
    match integer(to.bytes) {
        types::I64 => value,
        narrow => {
            let low = emitter.to.ins().ireduce(narrow, value);
            emitter.widen(low, to.signed)
        }
    }
}

struct Operands {
    left: Value,
    right: Value,
    /// The right operand, if it is a constant.
    right_is: Option<u64>,
}

fn binary(
    emitter: &mut Emitter<'_>,
    op: NumberOp,
    signed: bool,
    operands: Operands,
    otherwise: Block,
) -> Value {
    let Operands { left, right, right_is } = operands;
    match op {
        NumberOp::Add => emitter.to.ins().iadd(left, right),
        NumberOp::Sub => emitter.to.ins().isub(left, right),
        NumberOp::Mul => emitter.to.ins().imul(left, right),
        NumberOp::And => emitter.to.ins().band(left, right),
        NumberOp::Or => emitter.to.ins().bor(left, right),
        NumberOp::Xor => emitter.to.ins().bxor(left, right),
        NumberOp::Div | NumberOp::Rem => {
            if right_is.is_none_or(|divisor| divisor == 0) {
                let is_zero = emitter.compare_with(IntCC::Equal, right, 0);
                emitter.forbid(is_zero, otherwise);
            }
            if signed { divide(emitter, op, left, right) } else { divide_unsigned(emitter, op, left, right) }
        }
        NumberOp::Shl | NumberOp::Shr => {
            if right_is.is_none_or(|count| count > 63) {
                let is_too_far = emitter.compare_with(IntCC::UnsignedGreaterThan, right, 63);
                emitter.forbid(is_too_far, otherwise);
            }
            match (op, signed) {
                (NumberOp::Shl, _) => emitter.to.ins().ishl(left, right),
                (_, true) => emitter.to.ins().sshr(left, right),
                (_, false) => emitter.to.ins().ushr(left, right),
            }
        }
    }
}

fn divide_unsigned(emitter: &mut Emitter<'_>, op: NumberOp, left: Value, right: Value) -> Value {
    match op {
        NumberOp::Div => emitter.to.ins().udiv(left, right),
        _ => emitter.to.ins().urem(left, right),
    }
}

/// Writes a division of signed numbers. The smallest divided by -1 wraps, where the instruction would trap.
fn divide(emitter: &mut Emitter<'_>, op: NumberOp, left: Value, right: Value) -> Value {
    let one = emitter.constant(types::I64, 1);
    let is_negation = emitter.compare_with(IntCC::Equal, right, -1);
    let divisor = emitter.to.ins().select(is_negation, one, right);
    match op {
        NumberOp::Div => {
            let quotient = emitter.to.ins().sdiv(left, divisor);
            let negated = emitter.to.ins().ineg(left);
            emitter.to.ins().select(is_negation, negated, quotient)
        }
        // A remainder by 1 is 0, as one by -1 is.
        _ => emitter.to.ins().srem(left, divisor),
    }
}

/// Returns whether two values compare so.
fn ordered(
    emitter: &mut Emitter<'_>,
    (a, a_sign): (Value, Sign),
    op: CompareOp,
    (b, b_sign): (Value, Sign),
) -> Value {
    match (a_sign, b_sign) {
        (Sign::Signed, Sign::Unsigned) => {
            // A negative number is less than every unsigned one.
            let is_negative = emitter.compare_with(IntCC::SignedLessThan, a, 0);
            let is_less = emitter.constant(types::I8, i64::from(op.holds(-1, 0)));
            let holds = emitter.compare(comparison(op, false), a, b);
            emitter.to.ins().select(is_negative, is_less, holds)
        }
        (Sign::Unsigned, Sign::Signed) => ordered(emitter, (b, b_sign), op.flipped(), (a, a_sign)),
        _ => emitter.compare(comparison(op, a_sign == Sign::Signed), a, b),
    }
}

/// Returns the comparison of integers in a sign.
fn comparison(op: CompareOp, signed: bool) -> IntCC {
    match (op, signed) {
        (CompareOp::Eq, _) => IntCC::Equal,
        (CompareOp::Ne, _) => IntCC::NotEqual,
        (CompareOp::Lt, true) => IntCC::SignedLessThan,
        (CompareOp::Lt, false) => IntCC::UnsignedLessThan,
        (CompareOp::Le, true) => IntCC::SignedLessThanOrEqual,
        (CompareOp::Le, false) => IntCC::UnsignedLessThanOrEqual,
        (CompareOp::Gt, true) => IntCC::SignedGreaterThan,
        (CompareOp::Gt, false) => IntCC::UnsignedGreaterThan,
        (CompareOp::Ge, true) => IntCC::SignedGreaterThanOrEqual,
        (CompareOp::Ge, false) => IntCC::UnsignedGreaterThanOrEqual,
    }
}
