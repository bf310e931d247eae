//! Comparisons and bit tests of integers.
//!
//! The kernel reads a number with 64 bits, by the field's `signed:`, and then cuts it to the field's size
//! (`parse_pred`): only what is in range may be written. Integers of a record can always be read, so that their
//! comparisons may be turned into each other's opposites.

use super::error::{Leaf, LowerError};
use super::filter::{Filter, Work};
use super::solve::solve;
use super::{argument, set};
use crate::condition::ir::{CompareOp, Number, NumberOp};
use crate::condition::ranges::Ranges;
use crate::format::{Field, IntegerType};

/// `raw_smp_processor_id()` is an `int`, and the filter compares it as one (`filter_pred_cpu`).
pub(in crate::condition) const CPU: IntegerType = IntegerType { bytes: 4, signed: true };

/// `left OP right`.
pub(super) fn compare(
    leaf: &Leaf,
    left: &Number,
    op: CompareOp,
    right: &Number,
) -> Result<Filter, LowerError> {
    let computes = || LowerError::Computes { leaf: leaf.clone() };
    let Number::Const(value) = *right else { return Err(computes()) };
    match left {
        Number::Field(_) | Number::Cpu(_) => return compare_leaf(leaf, left, op, value),
        Number::Const(_) => return Err(computes()),
        Number::Cast { .. } | Number::Binary { .. } => {}
    }
    if let Some((of, values)) = solve(left, &op.matching(value, left.range())) {
        return one_of(leaf, of, &values);
    }
    if !matches!(op, CompareOp::Eq | CompareOp::Ne) {
        return Err(computes());
    }
    let (of, mask) = bits_of(left).ok_or_else(computes)?;
    // A number of the other sign may have the same bits.
    let (min, max) = left.range();
    let equal = match (min..=max).contains(&value) {
        true => masked(leaf, of, mask, value as u64 & low_bits(left))?,
        false => masked(leaf, of, mask, 0).map(|_| Filter::Const(false))?,
    };
    // The bits of a field can always be read, so that `!=` is the opposite.
    Ok(if op == CompareOp::Eq { equal } else { Filter::not(equal) })
}

/// A number that is some of another's bits: `of & mask`, and `of as T`.
fn bits_of(number: &Number) -> Option<(&Number, u64)> {
    match number {
        // In 64 bits, as the condition means them; what is above the field's width copies its sign.
        Number::Binary { op: NumberOp::And, left, right, .. } => match (&**left, &**right) {
            (of, Number::Const(mask)) | (Number::Const(mask), of) => Some((of, *mask as u64)),
            _ => None,
        },
        Number::Cast { of, .. } => Some((of, low_bits(number))),
        _ => None,
    }
}

/// The bits that a number has besides copies of its sign.
fn low_bits(number: &Number) -> u64 {
    match number {
        Number::Cast { to, .. } => to.mask(),
        _ => u64::MAX,
    }
}

/// `of in {..}`.
pub(super) fn within(leaf: &Leaf, of: &Number, ranges: &Ranges) -> Result<Filter, LowerError> {
    if ranges.is_empty() {
        return Ok(Filter::Const(false));
    }
    let integer = match of {
        Number::Cpu(_) => CPU,
        Number::Field(field) => integer_of(leaf, field)?,
        computed => {
            let solved = solve(computed, ranges);
            let (of, values) = solved.ok_or_else(|| LowerError::Computes { leaf: leaf.clone() })?;
            return one_of(leaf, of, &values);
        }
    };
    for (first, last) in ranges.iter() {
        check_range(leaf, first, integer.min(), integer.max())?;
        check_range(leaf, last, integer.min(), integer.max())?;
    }
    one_of(leaf, of, ranges)
}

/// A field or the CPU, as it is, in a set; of the set counts what the type can hold.
fn one_of(leaf: &Leaf, of: &Number, values: &Ranges) -> Result<Filter, LowerError> {
    let field = match of {
        Number::Cpu(_) => None,
        Number::Field(field) => Some((field, integer_of(leaf, field)?)),
        _ => return Err(LowerError::Computes { leaf: leaf.clone() }),
    };
    Ok(set::lower(values, of.range(), |op, value| comparison(leaf, field, op, value)))
}

/// A field or the CPU, as it is, with a constant.
fn compare_leaf(leaf: &Leaf, of: &Number, op: CompareOp, value: i128) -> Result<Filter, LowerError> {
    let field = match of {
        Number::Field(field) => Some((field, integer_of(leaf, field)?)),
        _ => None,
    };
    let integer = field.map_or(CPU, |(_, integer)| integer);
    check_range(leaf, value, integer.min(), integer.max())?;
    Ok(comparison(leaf, field, op, value))
}

/// One comparison, of the CPU where there is no field. The value is one of the type's.
fn comparison(leaf: &Leaf, field: Option<(&Field, IntegerType)>, op: CompareOp, value: i128) -> Filter {
    match field {
        Some((field, means)) if field.is_argument() => argument::compare(leaf, field, means, op, value),
        _ => predicate(&leaf.operand, op, value),
    }
}

/// `of & mask == value`, in 64 bits. The kernel tests only whether any of the field's bits is set.
fn masked(leaf: &Leaf, of: &Number, mask: u64, value: u64) -> Result<Filter, LowerError> {
    let field = match of {
        Number::Field(field) => field,
        Number::Cpu(_) => return Err(LowerError::BitsOfCpu { leaf: leaf.clone() }),
        _ => return Err(LowerError::Computes { leaf: leaf.clone() }),
    };
    let integer = integer_of(leaf, field)?;
    if value & !mask != 0 {
        return Ok(Filter::Const(false));
    }
    let width = integer.mask();
    let above = mask & !width;
    let (mut mask, mut clear_or_set) = (mask & width, value & width);
    if above != 0 {
        // There all bits are that of the sign; of a field without one they are clear.
        let sign = if integer.signed { width & !(width >> 1) } else { 0 };
        let negative = if value & above == above { sign } else { 0 };
        let agrees = value & above == if negative == 0 { 0 } else { above };
        if !agrees || mask & sign != 0 && clear_or_set & sign != negative {
            return Ok(Filter::Const(false));
        }
        mask |= sign;
        clear_or_set |= negative;
    }
    Ok(bits_equal(leaf, field, mask, clear_or_set))
}

/// `field & mask == value`, where all bits of the value are in the mask: each bit that has to be set on its own, those
/// that have to be clear together.
pub(super) fn bits_equal(leaf: &Leaf, field: &Field, mask: u64, value: u64) -> Filter {
    let set = (0..64).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
    let mut parts: Vec<Filter> = set.map(|bit| any_bit(leaf, field, bit)).collect();
    parts.push(Filter::not(any_bit(leaf, field, mask & !value)));
    Filter::all(parts)
}

/// `field & mask` as the kernel's filter means it: a bit in common.
pub(super) fn any_bit(leaf: &Leaf, field: &Field, mask: u64) -> Filter {
    if mask == 0 {
        return Filter::Const(false);
    }
    // A signed field's number is read by `kstrtoll`, which refuses the top bit of 64 as a positive one.
    let text = if field.signed && field.size == 8 { (mask as i64).to_string() } else { mask.to_string() };
    Filter::Predicate(format!("{} & {text}", leaf.operand), Work::Compare)
}

fn integer_of(leaf: &Leaf, field: &Field) -> Result<IntegerType, LowerError> {
    compared_as(field)
        .ok_or_else(|| LowerError::NotInteger { leaf: leaf.clone(), type_text: field.type_text.to_string() })
}

/// What integer the filter takes a field for. It has comparisons for these sizes only (`select_comparison_fn`); any other
/// never matches, `!=` neither.
pub(in crate::condition) fn compared_as(field: &Field) -> Option<IntegerType> {
    field.integer().filter(|_| matches!(field.size, 1 | 2 | 4 | 8))
}

fn check_range(leaf: &Leaf, value: i128, min: i128, max: i128) -> Result<(), LowerError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(LowerError::OutOfRange { leaf: leaf.clone(), value, min, max })
    }
}

pub(super) fn predicate(name: &str, op: CompareOp, value: i128) -> Filter {
    Filter::Predicate(format!("{name} {op} {value}"), Work::Compare)
}
