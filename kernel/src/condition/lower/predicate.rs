//! Single predicates of integers, and tests of bits made of them.

use super::error::Leaf;
use super::filter::{Filter, Work};
use crate::condition::ir::CompareOp;
use crate::format::IntegerType;

/// Returns `name OP value`.
pub(super) fn predicate(name: &str, op: CompareOp, value: i128) -> Filter {
    Filter::Predicate(format!("{name} {op} {value}"), Work::Compare)
}

/// Returns `field & mask == value`, where all bits of the value are in the mask: one test for each bit that has to be
/// set, one for all bits that have to be clear.
pub(super) fn bits_equal(leaf: &Leaf, recorded: IntegerType, mask: u64, value: u64) -> Filter {
    let set = (0..64).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
    let mut parts: Vec<Filter> = set.map(|bit| any_bit(leaf, recorded, bit)).collect();
    match any_bit(leaf, recorded, mask & !value) {
        Filter::Const(false) => {}
        any => parts.push(Filter::not(any)),
    }
    Filter::bits(parts)
}

/// Returns `field & mask` as the kernel's filter means it: a bit in common.
pub(super) fn any_bit(leaf: &Leaf, recorded: IntegerType, mask: u64) -> Filter {
    if mask == 0 {
        return Filter::Const(false);
    }
    // The kernel reads the number for a signed field with `kstrtoll`, which refuses the top bit of 64 in a positive
    // number.
    let negative = recorded == IntegerType { bytes: 8, signed: true };
    let text = if negative { (mask as i64).to_string() } else { mask.to_string() };
    Filter::Predicate(format!("{} & {text}", leaf.operand), Work::Compare)
}
