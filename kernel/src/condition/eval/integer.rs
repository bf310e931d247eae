//! 64-bit integers: read from a record, and computed.

use crate::bytes::{sign_extend, zero_extend};
use crate::condition::ir::{NumberOp, Sign};
use crate::format::{Field, FieldKind, IntegerType};
use crate::record::Record;

/// The value of a [`Number`](crate::condition::ir::Number).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::condition) struct Integer {
    /// The value in two's complement.
    pub(in crate::condition) bits: u64,
    /// The interpretation of the bits.
    pub(in crate::condition) sign: Sign,
}

impl Integer {
    /// Returns a constant, wrapped to 64 bits.
    pub(in crate::condition) fn of(value: i128) -> Integer {
        let sign = if value < 0 { Sign::Signed } else { Sign::Unsigned };
        Integer { bits: value as u64, sign }
    }

    /// Returns the number that the bits represent.
    pub(in crate::condition) fn value(self) -> i128 {
        match self.sign {
            Sign::Signed => i128::from(self.bits as i64),
            Sign::Unsigned => i128::from(self.bits),
        }
    }

    /// Returns the value of `self as to`.
    pub(in crate::condition) fn cast(self, to: IntegerType) -> Integer {
        extend(self.bits, to)
    }
}

/// Returns the low bytes of a type, extended by its sign.
fn extend(bits: u64, to: IntegerType) -> Integer {
    let size = to.bytes as usize;
    if to.signed {
        return Integer { bits: sign_extend(bits, size) as u64, sign: Sign::Signed };
    }
    Integer { bits: zero_extend(bits, size), sign: Sign::Unsigned }
}

/// Computes `left OP right` in a sign; `None` for a divisor of 0 and a shift by other than 0 to 63.
pub(in crate::condition) fn arithmetic(
    op: NumberOp,
    sign: Sign,
    left: Integer,
    right: Integer,
) -> Option<Integer> {
    let (a, b) = (left.bits, right.bits);
    let (signed_a, signed_b) = (a as i64, b as i64);
    // The count of a shift has its own sign, whatever the sign of the left side is.
    let count = || u32::try_from(right.value()).ok().filter(|count| *count < 64);
    let bits = match (op, sign) {
        (NumberOp::Add, _) => a.wrapping_add(b),
        (NumberOp::Sub, _) => a.wrapping_sub(b),
        (NumberOp::Mul, _) => a.wrapping_mul(b),
        (NumberOp::Div | NumberOp::Rem, _) if b == 0 => return None,
        (NumberOp::Div, Sign::Unsigned) => a / b,
        (NumberOp::Rem, Sign::Unsigned) => a % b,
        // The smallest signed number divided by -1 wraps.
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

/// The location of an integer in its records.
#[derive(Clone, Copy, Debug)]
pub(super) struct IntAt {
    offset: u32,
    /// The number of bytes in the record.
    size: u32,
    /// The type of the low bytes.
    means: IntegerType,
    /// The bits of a 64-bit word that the field does not reach.
    unused: u32,
}

impl IntAt {
    fn new(field: &Field, means: IntegerType) -> IntAt {
        IntAt { offset: field.offset, size: field.size, means, unused: 64 - 8 * means.bytes.clamp(1, 8) }
    }

    /// Returns the location of an integer field; `None` if the field is not an integer.
    pub(super) fn of(field: &Field) -> Option<IntAt> {
        Some(IntAt::new(field, field.integer()?))
    }

    /// Returns the location of an address; `None` if the field cannot hold one.
    pub(super) fn address(field: &Field) -> Option<IntAt> {
        let holds = matches!(field.kind, FieldKind::Int | FieldKind::CharPtr);
        let means = IntegerType { bytes: field.size, signed: false };
        holds.then_some(IntAt::new(field, means))
    }

    /// Returns the smallest and the largest number that the field can hold.
    pub(super) fn range(self) -> (i128, i128) {
        (self.means.min(), self.means.max())
    }

    /// Returns the sign of the values that are read.
    fn sign(self) -> Sign {
        if self.means.signed { Sign::Signed } else { Sign::Unsigned }
    }

    /// Returns the field's value in a record; `None` if the field lies outside the record.
    #[inline]
    pub(super) fn read(self, record: &Record<'_>) -> Option<Integer> {
        Some(Integer { bits: self.bits(record)?, sign: self.sign() })
    }

    /// Returns the field's value in a record, extended to 64 bits by its sign.
    #[inline]
    pub(super) fn bits(self, record: &Record<'_>) -> Option<u64> {
        let high = self.word(record)? << self.unused;
        Some(if self.means.signed { (high as i64 >> self.unused) as u64 } else { high >> self.unused })
    }

    /// Returns the rank of the field's value in a record: a larger number has a higher rank. Comparing ranks saves
    /// extending the number by its sign.
    #[inline]
    pub(super) fn rank(self, record: &Record<'_>) -> Option<u64> {
        Some(self.ranked(self.word(record)?))
    }

    /// Returns the rank of a number in the field's [range](Self::range).
    pub(super) fn rank_of(self, number: i128) -> u64 {
        self.ranked(number as u64)
    }

    #[inline]
    fn ranked(self, bits: u64) -> u64 {
        // At the top of the word the low bytes compare as a whole; flipping the sign bit orders negative numbers first.
        bits << self.unused ^ u64::from(self.means.signed) << 63
    }

    /// Returns the field's bytes in a record as an unsigned number.
    #[inline]
    pub(super) fn word(self, record: &Record<'_>) -> Option<u64> {
        record.uint_at(self.offset, self.size)
    }
}
