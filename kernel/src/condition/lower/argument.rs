//! Arguments of system calls whose C type is not that of the eight unsigned bytes in the record.
//!
//! The kernel refuses a minus for such a field, and compares unsigned. The record holds the whole register
//! (`syscall_get_arguments`), of which the system call uses the low bytes (`__SC_CAST`, include/linux/syscalls.h). The
//! bytes above them are undefined: zeros, copies of the sign, or anything else. So an `int` or an `unsigned int` cannot
//! be compared with the numbers that may be recorded for it, of which there are 2^32, but only by its bits: `&` is the
//! one operator that tests a part of the field.

use super::error::Leaf;
use super::filter::Filter;
use super::predicate::{any_bit, bits_equal, predicate};
use crate::condition::ir::CompareOp;
use crate::format::IntegerType;

/// The integer that is recorded.
pub(super) const REGISTER: IntegerType = IntegerType { bytes: 8, signed: false };

/// The smallest register value that is a negative `long`.
const LOWEST_NEGATIVE: i128 = 1 << 63;

/// Returns `field OP value`. The value is one of the type's.
pub(super) fn compare(leaf: &Leaf, means: IntegerType, op: CompareOp, value: i128) -> Filter {
    if means.bytes == 8 { long(leaf, op, value) } else { low(leaf, means, op, value) }
}

/// Returns a comparison of all eight bytes, signed.
fn long(leaf: &Leaf, op: CompareOp, value: i128) -> Filter {
    let recorded = predicate(&leaf.operand, op, if value < 0 { value + (1 << 64) } else { value });
    let negative = || predicate(&leaf.operand, CompareOp::Ge, LOWEST_NEGATIVE);
    let not_negative = || predicate(&leaf.operand, CompareOp::Lt, LOWEST_NEGATIVE);
    match op {
        CompareOp::Eq | CompareOp::Ne => recorded,
        CompareOp::Lt if value == 0 => negative(),
        CompareOp::Ge if value == 0 => not_negative(),
        CompareOp::Lt | CompareOp::Le if value < 0 => Filter::all(vec![negative(), recorded]),
        CompareOp::Lt | CompareOp::Le => Filter::any(vec![recorded, negative()]),
        CompareOp::Gt | CompareOp::Ge if value < 0 => Filter::any(vec![not_negative(), recorded]),
        CompareOp::Gt | CompareOp::Ge => Filter::all(vec![recorded, not_negative()]),
    }
}

/// Returns a comparison of as many low bytes as the type has.
fn low(leaf: &Leaf, means: IntegerType, op: CompareOp, value: i128) -> Filter {
    let all = means.mask();
    let equal = || bits_equal(leaf, REGISTER, all, value as u64 & all);
    match op {
        CompareOp::Eq => equal(),
        CompareOp::Ne => Filter::not(equal()),
        CompareOp::Ge => at_least(leaf, means, value),
        CompareOp::Lt => Filter::not(at_least(leaf, means, value)),
        CompareOp::Gt => at_least(leaf, means, value + 1),
        CompareOp::Le => Filter::not(at_least(leaf, means, value + 1)),
    }
}

/// Returns whether the argument is `value` or more, from the lowest bit up. Where the value's bit is set, the field's
/// bit has to be set too, and the bits below decide; where it is clear, a set bit of the field decides alone.
fn at_least(leaf: &Leaf, means: IntegerType, value: i128) -> Filter {
    if value > means.max() {
        return Filter::Const(false);
    }
    let bit = |mask| any_bit(leaf, REGISTER, mask);
    let above = |clear, below| if clear == 0 { below } else { Filter::any(vec![bit(clear), below]) };
    let mut filter = Filter::Const(true);
    // Adjacent clear bits of the value are one test.
    let mut clear = 0;
    let magnitude = means.max() as u64;
    for mask in (0..64).map(|index| 1 << index).filter(|mask| magnitude & mask != 0) {
        if value as u64 & mask == 0 {
            clear |= mask;
        } else {
            filter = Filter::all(vec![bit(mask), above(clear, filter)]);
            clear = 0;
        }
    }
    let filter = above(clear, filter);
    if !means.signed {
        return filter;
    }
    let not_negative = Filter::not(bit(means.mask() & !magnitude));
    if value < 0 { Filter::any(vec![not_negative, filter]) } else { Filter::all(vec![not_negative, filter]) }
}
