//! Operations on constants.

use tracec_grammar::syntax::BinaryOp;

use crate::ir::definition::Value;

use super::Scope;

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// It lies outside -2^63 to 2^64-1.
    Overflow,
    /// It would be a duration below zero.
    NegativeDuration,
    /// The divisor is zero.
    DivisionByZero,
    /// A shift by this many bits.
    Shift(i128),
    /// The operands have types that the operation is not defined for.
    Mismatch,
}

/// Returns whether the operator computes a value; the others make conditions.
pub(super) fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, BitAnd, BitOr, BitXor, Div, Mul, Rem, Shl, Shr, Sub};
    matches!(op, Add | Sub | Mul | Div | Rem | Shl | Shr | BitAnd | BitOr | BitXor)
}

/// Returns `-value`.
pub(super) fn negative(value: &Value) -> Result<Value, Problem> {
    match value.number() {
        Some(number) => in_range(-number).map(Value::int),
        None => Err(Problem::Mismatch),
    }
}

/// Returns `left op right`.
pub(super) fn binary(op: BinaryOp, left: &Value, right: &Value, scope: &Scope<'_>) -> Result<Value, Problem> {
    match (left, right) {
        (Value::Duration(a), Value::Duration(b)) => durations(op, *a, *b),
        (Value::Duration(time), factor) | (factor, Value::Duration(time)) if op == BinaryOp::Mul => {
            let factor = factor.number().ok_or(Problem::Mismatch)?;
            duration(i128::from(*time).checked_mul(factor).ok_or(Problem::Overflow)?)
        }
        (Value::Duration(time), divisor) if op == BinaryOp::Div => {
            let divisor = divisor.number().ok_or(Problem::Mismatch)?;
            duration(numbers(op, i128::from(*time), divisor)?)
        }
        _ => {
            let (a, b) = (left.number().ok_or(Problem::Mismatch)?, right.number().ok_or(Problem::Mismatch)?);
            in_range(numbers(op, a, b)?).map(|number| typed(op, left, right, number, scope))
        }
    }
}

/// Returns a number with the type of the result of an operation: sizes stay sizes, a union of flags stays flags.
fn typed(op: BinaryOp, left: &Value, right: &Value, number: i128, scope: &Scope<'_>) -> Value {
    let sizes = [left, right].into_iter().filter(|value| matches!(value, Value::Size(_))).count();
    let is_count = op == BinaryOp::Div && matches!(right, Value::Size(_));
    if sizes > 0
        && !is_count
        && let Ok(bytes) = u64::try_from(number)
    {
        return Value::Size(bytes);
    }
    let of = match (left, right) {
        (Value::Int { of: Some(a), .. }, Value::Int { of: Some(b), .. })
            if a == b
                && matches!(op, BinaryOp::BitOr | BinaryOp::BitAnd | BinaryOp::BitXor)
                && scope.enum_of(left).is_some_and(|ty| ty.flags) =>
        {
            Some(*a)
        }
        _ => None,
    };
    Value::Int { value: number, of }
}

fn durations(op: BinaryOp, a: u64, b: u64) -> Result<Value, Problem> {
    let (a, b) = (i128::from(a), i128::from(b));
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Rem => duration(numbers(op, a, b)?),
        BinaryOp::Div => numbers(op, a, b).map(Value::int),
        _ => Err(Problem::Mismatch),
    }
}

fn duration(nanoseconds: i128) -> Result<Value, Problem> {
    if nanoseconds < 0 {
        return Err(Problem::NegativeDuration);
    }
    u64::try_from(nanoseconds).map(Value::Duration).map_err(|_| Problem::Overflow)
}

/// Computes on plain numbers. Operands have at most 65 bits, so that only a product can exceed 128.
fn numbers(op: BinaryOp, a: i128, b: i128) -> Result<i128, Problem> {
    let result = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::Div if b == 0 => return Err(Problem::DivisionByZero),
        BinaryOp::Rem if b == 0 => return Err(Problem::DivisionByZero),
        BinaryOp::Div => a.checked_div(b),
        BinaryOp::Rem => a.checked_rem(b),
        BinaryOp::BitAnd => Some(a & b),
        BinaryOp::BitOr => Some(a | b),
        BinaryOp::BitXor => Some(a ^ b),
        BinaryOp::Shl => Some(a << shift(b)?),
        BinaryOp::Shr => Some(a >> shift(b)?),
        _ => return Err(Problem::Mismatch),
    };
    result.ok_or(Problem::Overflow)
}

fn shift(count: i128) -> Result<u32, Problem> {
    u32::try_from(count).ok().filter(|count| *count < 64).ok_or(Problem::Shift(count))
}

fn in_range(value: i128) -> Result<i128, Problem> {
    let range = i128::from(i64::MIN)..=i128::from(u64::MAX);
    if range.contains(&value) { Ok(value) } else { Err(Problem::Overflow) }
}
