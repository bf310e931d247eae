//! Comparisons and bit tests of integers.
//!
//! The kernel reads a number with 64 bits, by the field's `signed:`, and then truncates it to the field's size
//! (`parse_pred`), so only values in range may be written. Integers of a record can always be read, so that a
//! comparison may be replaced by the negation of its opposite.

use super::error::{Leaf, LowerError};
use super::filter::Filter;
use super::predicate::{bits_equal, predicate};
use super::solve::solve;
use super::{argument, set};
use crate::condition::ir::{CompareOp, Number, NumberOp};
use crate::condition::ranges::Ranges;
use crate::format::{Field, IntegerType};

/// `raw_smp_processor_id()` is an `int`, and the filter compares it as one (`filter_pred_cpu`).
pub(in crate::condition) const CPU: IntegerType = IntegerType { bytes: 4, signed: true };

/// Lowers `left OP right`.
pub(super) fn compare(
    leaf: &Leaf,
    left: &Number,
    op: CompareOp,
    right: &Number,
) -> Result<Filter, LowerError> {
    let computes = || LowerError::Computes { leaf: leaf.clone() };
    let Number::Const(value) = *right else { return Err(computes()) };
    match left {
        Number::Field(_) | Number::Cpu | Number::Pid | Number::Tgid => {
            let plain = Plain::of(leaf, left)?;
            check_range(leaf, value, plain.means.min(), plain.means.max())?;
            return Ok(plain.comparison(leaf, op, value));
        }
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

/// Splits a number that is some of another's bits: `of & mask`, and `of as T`.
fn bits_of(number: &Number) -> Option<(&Number, u64)> {
    match number {
        // In 64 bits, as the condition means them; the bits above the field's width are copies of its sign.
        Number::Binary { op: NumberOp::And, left, right, .. } => match (&**left, &**right) {
            (of, Number::Const(mask)) | (Number::Const(mask), of) => Some((of, *mask as u64)),
            _ => None,
        },
        Number::Cast { of, .. } => Some((of, low_bits(number))),
        _ => None,
    }
}

/// Returns the bits that a number has besides copies of its sign.
fn low_bits(number: &Number) -> u64 {
    match number {
        Number::Cast { to, .. } => to.mask(),
        _ => u64::MAX,
    }
}

/// Lowers `of in {..}`.
pub(super) fn within(leaf: &Leaf, of: &Number, ranges: &Ranges) -> Result<Filter, LowerError> {
    if ranges.is_empty() {
        return Ok(Filter::Const(false));
    }
    if matches!(of, Number::Cast { .. } | Number::Binary { .. }) {
        let solved = solve(of, ranges);
        let (of, values) = solved.ok_or_else(|| LowerError::Computes { leaf: leaf.clone() })?;
        return one_of(leaf, of, &values);
    }
    let means = Plain::of(leaf, of)?.means;
    for (first, last) in ranges.iter() {
        check_range(leaf, first, means.min(), means.max())?;
        check_range(leaf, last, means.min(), means.max())?;
    }
    one_of(leaf, of, ranges)
}

/// Lowers the test that a number, which is not computed, is in a set. Values outside of the number's type do not count.
fn one_of(leaf: &Leaf, of: &Number, values: &Ranges) -> Result<Filter, LowerError> {
    let plain = Plain::of(leaf, of)?;
    Ok(set::lower(values, of.range(), |op, value| plain.comparison(leaf, op, value)))
}

/// A number that the filter reads directly: a field, the CPU or the thread id.
#[derive(Clone, Copy)]
struct Plain {
    /// The type that is compared.
    means: IntegerType,
    /// The type in the record, of which that is a part.
    recorded: IntegerType,
    is_argument: bool,
}

impl Plain {
    fn of(leaf: &Leaf, number: &Number) -> Result<Plain, LowerError> {
        let means = match number {
            Number::Field(field) => compared_as(field).ok_or_else(|| {
                let type_text = field.type_text.to_string();
                LowerError::NotInteger { leaf: leaf.clone(), type_text }
            })?,
            Number::Cpu => CPU,
            Number::Pid => Number::PID,
            Number::Tgid => return Err(LowerError::ProcessId { leaf: leaf.clone() }),
            Number::Const(_) | Number::Cast { .. } | Number::Binary { .. } => {
                return Err(LowerError::Computes { leaf: leaf.clone() });
            }
        };
        let is_argument = matches!(number, Number::Field(field) if field.is_argument());
        Ok(Plain { means, recorded: if is_argument { argument::REGISTER } else { means }, is_argument })
    }

    /// Returns one comparison. The value is one of the type's.
    fn comparison(self, leaf: &Leaf, op: CompareOp, value: i128) -> Filter {
        match self.is_argument {
            true => argument::compare(leaf, self.means, op, value),
            false => predicate(&leaf.operand, op, value),
        }
    }
}

/// Lowers `of & mask == value`, in 64 bits. The kernel tests only whether any of the field's bits is set.
fn masked(leaf: &Leaf, of: &Number, mask: u64, value: u64) -> Result<Filter, LowerError> {
    if *of == Number::Cpu {
        return Err(LowerError::BitsOfCpu { leaf: leaf.clone() });
    }
    let Plain { means, recorded, .. } = Plain::of(leaf, of)?;
    if value & !mask != 0 {
        return Ok(Filter::Const(false));
    }
    let width = means.mask();
    let above = mask & !width;
    let (mut mask, mut clear_or_set) = (mask & width, value & width);
    if above != 0 {
        // Above the field's width all bits are copies of the sign bit; for an unsigned field they are clear.
        let sign = if means.signed { width & !(width >> 1) } else { 0 };
        let negative = if value & above == above { sign } else { 0 };
        let agrees = value & above == if negative == 0 { 0 } else { above };
        if !agrees || mask & sign != 0 && clear_or_set & sign != negative {
            return Ok(Filter::Const(false));
        }
        mask |= sign;
        clear_or_set |= negative;
    }
    Ok(bits_equal(leaf, recorded, mask, clear_or_set))
}

/// Returns the integer type with which the filter compares a field. The filter has comparisons for these sizes only
/// (`select_comparison_fn`); a field of another size never matches, not even with `!=`.
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
