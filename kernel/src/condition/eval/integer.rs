//! Integers of 64 bits: reading them from a record, and computing.

use crate::bytes::sign_extend;
use crate::condition::ir::{NumberOp, Sign};
use crate::format::{Field, FieldKind, IntegerType};
use crate::record::Record;

/// The value of a [`Number`](crate::condition::ir::Number).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::condition) struct Integer {
    /// Two's complement.
    pub(in crate::condition) bits: u64,
    /// How they are meant.
    pub(in crate::condition) sign: Sign,
}

impl Integer {
    /// A constant. Of one that 64 bits cannot hold, the low ones.
    pub(in crate::condition) fn of(value: i128) -> Integer {
        let sign = if value < 0 { Sign::Signed } else { Sign::Unsigned };
        Integer { bits: value as u64, sign }
    }

    /// The number that the bits stand for.
    pub(in crate::condition) fn value(self) -> i128 {
        match self.sign {
            Sign::Signed => i128::from(self.bits as i64),
            Sign::Unsigned => i128::from(self.bits),
        }
    }

    /// `self as to`.
    pub(in crate::condition) fn cast(self, to: IntegerType) -> Integer {
        extend(self.bits, to)
    }
}

/// The low bytes of a type, extended by its sign.
fn extend(bits: u64, to: IntegerType) -> Integer {
    let extended = sign_extend(bits, to.bytes as usize) as u64;
    if to.signed {
        return Integer { bits: extended, sign: Sign::Signed };
    }
    let unused = 64 - 8 * to.bytes.clamp(1, 8);
    Integer { bits: bits << unused >> unused, sign: Sign::Unsigned }
}

/// `left OP right` in a sign; `None` for a divisor of 0 and a shift by other than 0 to 63.
pub(in crate::condition) fn arithmetic(
    op: NumberOp,
    sign: Sign,
    left: Integer,
    right: Integer,
) -> Option<Integer> {
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a as i64, b as i64);
    // The count is a number, whatever the sign of what is shifted.
    let count = || u32::try_from(right.value()).ok().filter(|count| *count < 64);
    let bits = match (op, sign) {
        (NumberOp::Add, _) => a.wrapping_add(b),
        (NumberOp::Sub, _) => a.wrapping_sub(b),
        (NumberOp::Mul, _) => a.wrapping_mul(b),
        (NumberOp::Div | NumberOp::Rem, _) if b == 0 => return None,
        (NumberOp::Div, Sign::Unsigned) => a / b,
        (NumberOp::Rem, Sign::Unsigned) => a % b,
        // The smallest number by -1 wraps.
        (NumberOp::Div, Sign::Signed) => signed_a.wrapping_div(signed_b) as u64,
        (NumberOp::Rem, Sign::Signed) => signed_a.wrapping_rem(signed_b) as u64,
        (NumberOp::Shl, _) => a << count()?,
        (NumberOp::Shr, Sign::Unsigned) => a >> count()?,
        (NumberOp::Shr, Sign::Signed) => (signed_a >> count()?) as u64,
        (NumberOp::And, _) => a & b,
        (NumberOp::Or, _) => a | b,
        (NumberOp::Xor, _) => a ^ b,
    };
    Some(Integer { bits, sign })
}

/// Where an integer lies in its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntAt {
    offset: u32,
    /// Bytes that the record has for it.
    size: u32,
    /// What the low ones of them mean.
    means: IntegerType,
}

impl IntAt {
    /// `None` if the field is no integer.
    pub(super) fn of(field: &Field) -> Option<IntAt> {
        Some(IntAt { offset: field.offset, size: field.size, means: field.integer()? })
    }

    /// The place of an address; `None` if the field cannot hold one.
    pub(super) fn address(field: &Field) -> Option<IntAt> {
        let holds = matches!(field.kind, FieldKind::Int | FieldKind::CharPtr);
        let means = IntegerType { bytes: field.size, signed: false };
        holds.then_some(IntAt { offset: field.offset, size: field.size, means })
    }

    /// The sign of what is read.
    pub(super) fn sign(self) -> Sign {
        if self.means.signed { Sign::Signed } else { Sign::Unsigned }
    }

    /// What a record holds, as a number; `None` if it lies outside.
    pub(super) fn read(self, record: &Record<'_>) -> Option<Integer> {
        Some(extend(self.word(record)?, self.means))
    }

    /// What a record holds, without a sign.
    pub(super) fn word(self, record: &Record<'_>) -> Option<u64> {
        record.uint_at(self.offset, self.size)
    }
}
