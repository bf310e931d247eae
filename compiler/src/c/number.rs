//! What C makes of numbers, and where it needs a conversion to make of them what the language means.
//!
//! The language computes with 64 bits. C computes with the wider of the types of its operands, at least `int`, and
//! converts a negative number to a large one where the other side is unsigned and as wide. Where both come to the same
//! for all values that the operands can have, the C is written as a kernel developer would write it.

use std::cmp::Ordering;

use tracec_kernel::condition::ir::{CompareOp, NumberOp, Sign};
use tracec_kernel::format::IntegerType;

/// `int`
pub(super) const INT: IntegerType = IntegerType { bytes: 4, signed: true };
/// `s64`
pub(super) const S64: IntegerType = IntegerType { bytes: 8, signed: true };
/// `u64`
pub(super) const U64: IntegerType = IntegerType { bytes: 8, signed: false };

/// What has to be right in the C of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// A value that is passed on with the type that it has in C. Where only C knows an operand, it can be a pointer.
    Value,
    /// A number: all 64 bits, and the sign.
    Number,
    /// The low bytes of a number, 4 or fewer: it is put into so many.
    Low,
}

/// A number that something is done with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    /// The type that it has in C as an operand; `None` where only C knows.
    pub(super) ty: Option<IntegerType>,
    /// The smallest and the largest number that it can be.
    pub(super) reach: (i128, i128),
}

/// What is done with two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Doing {
    Compute(NumberOp),
    Compare(CompareOp),
    /// One of them is the result.
    Choose,
}

/// Returns the type that C gives to an operand of this type.
pub(super) fn promoted(ty: IntegerType) -> IntegerType {
    if ty.bytes < INT.bytes { INT } else { ty }
}

/// Returns the type that C converts two operands to, which are promoted.
pub(super) fn common(a: IntegerType, b: IntegerType) -> IntegerType {
    let signed = match a.bytes.cmp(&b.bytes) {
        Ordering::Equal => a.signed && b.signed,
        Ordering::Greater => a.signed,
        Ordering::Less => b.signed,
    };
    IntegerType { bytes: a.bytes.max(b.bytes), signed }
}

impl Doing {
    /// Returns whether C converts both operands to one type: the count of a shift keeps its own.
    pub(super) fn is_of_both(self) -> bool {
        !matches!(self, Doing::Compute(NumberOp::Shl | NumberOp::Shr))
    }

    /// Returns whether a count, if there is one, is one of the type that C shifts in.
    pub(super) fn is_count_of(self, left: Side, right: Side) -> bool {
        self.is_of_both() || left.ty.is_some_and(|ty| is_count(right.reach, ty.bytes))
    }

    /// Returns the type that C computes with; `None` where only C knows it.
    pub(super) fn computed_with(self, left: Side, right: Side) -> Option<IntegerType> {
        match self {
            Doing::Compute(NumberOp::Shl | NumberOp::Shr) => left.ty,
            _ => Some(common(left.ty?, right.ty?)),
        }
    }

    /// Returns whether C, as it is written, does what the language means in this sign.
    pub(super) fn is_exact(self, left: Side, right: Side, sign: Sign) -> bool {
        match (left.ty, right.ty) {
            (Some(_), Some(_)) => self.is_exact_in_known(left, right, sign),
            (None, None) => false,
            (Some(ty), None) => self.is_exact_beside_unknown(true, (ty, left)),
            (None, Some(ty)) => self.is_exact_beside_unknown(false, (ty, right)),
        }
    }

    fn is_exact_in_known(self, left: Side, right: Side, sign: Sign) -> bool {
        let Some(ty) = self.computed_with(left, right) else { return false };
        let holds = |(first, last): (i128, i128)| ty.min() <= first && last <= ty.max();
        // In 64 bits C wraps as the language does.
        let is_whole = ty.bytes == 8 && ty.signed == (sign == Sign::Signed);
        let (a, b) = (left.reach, right.reach);
        let are_held = holds(a) && holds(b);
        match self {
            Doing::Compare(_) | Doing::Choose => are_held,
            Doing::Compute(op) => match op {
                NumberOp::And | NumberOp::Or | NumberOp::Xor => are_held,
                NumberOp::Add => is_whole || (are_held && holds((a.0 + b.0, a.1 + b.1))),
                NumberOp::Sub => is_whole || (are_held && holds((a.0 - b.1, a.1 - b.0))),
                NumberOp::Mul => is_whole || (are_held && product(a, b).is_some_and(holds)),
                // The smallest number has no opposite.
                NumberOp::Div | NumberOp::Rem => {
                    are_held && (ty.bytes == 8 || a.0 > ty.min() || b.0 > -1 || b.1 < -1)
                }
                NumberOp::Shl => is_count(b, ty.bytes) && (is_whole || shifted(a, b.1).is_some_and(holds)),
                NumberOp::Shr => holds(a) && is_count(b, ty.bytes),
            },
        }
    }

    /// Returns whether C is exact where only C knows the type of the other side, whatever integer it is.
    fn is_exact_beside_unknown(self, is_left: bool, (ty, known): (IntegerType, Side)) -> bool {
        let (first, last) = known.reach;
        // Any type that it meets can hold it, and keeps the value of the other side.
        let is_neutral = first >= 0 && (ty.signed || ty.bytes == 8);
        match self {
            Doing::Compare(_) | Doing::Choose => is_neutral,
            Doing::Compute(op) => match op {
                NumberOp::And => first >= 0,
                NumberOp::Or | NumberOp::Xor => is_neutral,
                NumberOp::Div | NumberOp::Rem => !is_left && is_neutral && ty.signed,
                NumberOp::Shr => !is_left && first >= 0 && last < 32,
                NumberOp::Add | NumberOp::Sub | NumberOp::Mul | NumberOp::Shl => false,
            },
        }
    }
}

/// Returns whether C can shift a number of so many bytes by each of these counts.
fn is_count((first, last): (i128, i128), bytes: u32) -> bool {
    // Whether a count is one at all is asked where the shift is checked.
    bytes == 8 || (first >= 0 && last < i128::from(bytes * 8))
}

fn product(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let corners =
        [a.0.checked_mul(b.0)?, a.0.checked_mul(b.1)?, a.1.checked_mul(b.0)?, a.1.checked_mul(b.1)?];
    Some((corners.into_iter().min()?, corners.into_iter().max()?))
}

/// Returns the ends of a number that is shifted to the left by a count of at most this.
fn shifted((first, last): (i128, i128), count: i128) -> Option<(i128, i128)> {
    let factor = 1_i128.checked_shl(u32::try_from(count).ok()?)?;
    Some((first.min(first.checked_mul(factor)?), last.max(last.checked_mul(factor)?)))
}
