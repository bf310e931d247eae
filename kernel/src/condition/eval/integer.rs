//! Integers of 64 bits: reading them from a record, and computing.

use crate::bytes::{sign_extend, zero_extend};
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
    let size = to.bytes as usize;
    if to.signed {
        return Integer { bits: sign_extend(bits, size) as u64, sign: Sign::Signed };
    }
    Integer { bits: zero_extend(bits, size), sign: Sign::Unsigned }
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
    /// Bits of a word of 64 that they do not reach.
    unused: u32,
}

impl IntAt {
    fn new(field: &Field, means: IntegerType) -> IntAt {
        IntAt { offset: field.offset, size: field.size, means, unused: 64 - 8 * means.bytes.clamp(1, 8) }
    }

    /// `None` if the field is no integer.
    pub(super) fn of(field: &Field) -> Option<IntAt> {
        Some(IntAt::new(field, field.integer()?))
    }

    /// The place of an address; `None` if the field cannot hold one.
    pub(super) fn address(field: &Field) -> Option<IntAt> {
        let holds = matches!(field.kind, FieldKind::Int | FieldKind::CharPtr);
        let means = IntegerType { bytes: field.size, signed: false };
        holds.then_some(IntAt::new(field, means))
    }

    /// The smallest and the largest number that it can hold.
    pub(super) fn range(self) -> (i128, i128) {
        (self.means.min(), self.means.max())
    }

    /// The sign of what is read.
    fn sign(self) -> Sign {
        if self.means.signed { Sign::Signed } else { Sign::Unsigned }
    }

    /// What a record holds, as a number; `None` if it lies outside.
    #[inline]
    pub(super) fn read(self, record: &Record<'_>) -> Option<Integer> {
        Some(Integer { bits: self.bits(record)?, sign: self.sign() })
    }

    /// What a record holds, extended to 64 bits by the sign.
    #[inline]
    pub(super) fn bits(self, record: &Record<'_>) -> Option<u64> {
        let high = self.word(record)? << self.unused;
        Some(if self.means.signed { (high as i64 >> self.unused) as u64 } else { high >> self.unused })
    }

    /// The rank of what a record holds: the more, the larger the number. Comparing ranks
    /// saves extending the number by its sign.
    #[inline]
    pub(super) fn rank(self, record: &Record<'_>) -> Option<u64> {
        Some(self.ranked(self.word(record)?))
    }

    /// The rank of a number of its [range](Self::range).
    pub(super) fn rank_of(self, number: i128) -> u64 {
        self.ranked(number as u64)
    }

    #[inline]
    fn ranked(self, bits: u64) -> u64 {
        // At the top of the word the low bytes are ordered as a whole; the other sign bit puts negative ones first.
        bits << self.unused ^ u64::from(self.means.signed) << 63
    }

    /// What a record holds, without a sign.
    #[inline]
    pub(super) fn word(self, record: &Record<'_>) -> Option<u64> {
        record.uint_at(self.offset, self.size)
    }
}
