//! Comparisons and bit tests of integers.
//!
//! The kernel reads a number with 64 bits, by the field's `signed:`, and then cuts it to the field's size
//! (`parse_pred`): only what is in range may be written. An argument of a system call is the hard case: eight unsigned
//! bytes that may mean a signed C type ([`Field::integer`]).

use super::error::{Leaf, LowerError};
use super::filter::Filter;
use crate::condition::ir::{CompareOp, Number, NumberOp};
use crate::condition::ranges::Ranges;
use crate::format::{Field, IntegerType};

/// `raw_smp_processor_id()` is an `int`, and the filter compares it as one (`filter_pred_cpu`).
const CPU: IntegerType = IntegerType { bytes: 4, signed: true };

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
        Number::Binary { op: NumberOp::And, left, right, .. } => match (&**left, &**right) {
            (of, Number::Const(mask)) | (Number::Const(mask), of) => masked(leaf, of, *mask, op, value),
            _ => Err(computes()),
        },
        left => compare_leaf(leaf, left, op, value),
    }
}

/// `of in {..}`: one comparison or pair of them per range.
pub(super) fn within(leaf: &Leaf, of: &Number, ranges: &Ranges) -> Result<Filter, LowerError> {
    let range = |(first, last)| {
        if first == last {
            return compare_leaf(leaf, of, CompareOp::Eq, first);
        }
        let low = compare_leaf(leaf, of, CompareOp::Ge, first)?;
        Ok(Filter::all(vec![low, compare_leaf(leaf, of, CompareOp::Le, last)?]))
    };
    Ok(Filter::any(ranges.iter().map(range).collect::<Result<_, _>>()?))
}

/// A field or the CPU, as it is, with a constant.
fn compare_leaf(leaf: &Leaf, of: &Number, op: CompareOp, value: i128) -> Result<Filter, LowerError> {
    let integer = match of {
        Number::Cpu => CPU,
        Number::Field(field) => integer_of(leaf, field)?,
        _ => return Err(LowerError::Computes { leaf: leaf.clone() }),
    };
    check_range(leaf, value, integer.min(), integer.max())?;
    match of {
        Number::Field(field) if integer.signed && !field.signed => {
            Ok(SignedArgument { name: &leaf.operand, narrow: integer.bytes == 4 }.compare(op, value))
        }
        _ => Ok(predicate(&leaf.operand, op, value)),
    }
}

/// `of & mask OP value`. The kernel tests only whether any of the bits is set.
fn masked(leaf: &Leaf, of: &Number, mask: i128, op: CompareOp, value: i128) -> Result<Filter, LowerError> {
    let field = match of {
        Number::Field(field) => field,
        Number::Cpu => return Err(LowerError::BitsOfCpu { leaf: leaf.clone() }),
        _ => return Err(LowerError::Computes { leaf: leaf.clone() }),
    };
    let integer = integer_of(leaf, field)?;
    let unsigned = IntegerType { signed: false, ..integer };
    // In 64 bits, as the condition means them; what is above the field's width copies its sign.
    let (mask, value) = (mask as u64, value as u64);
    let width = unsigned.max() as u64;
    if mask & !width != 0 {
        return Err(LowerError::OutOfRange {
            leaf: leaf.clone(),
            value: mask.into(),
            min: 0,
            max: width.into(),
        });
    }
    let equal = match value & !mask {
        0 => bits_equal(leaf, field, mask, value),
        _ => Filter::Const(false),
    };
    match op {
        CompareOp::Eq => Ok(equal),
        // The bits of a field can always be read, so that this is the opposite.
        CompareOp::Ne => Ok(Filter::not(equal)),
        _ => Err(LowerError::Computes { leaf: leaf.clone() }),
    }
}

/// `field & mask == value`, where all bits of the value are in the mask: each bit that has to be set on its own, those
/// that have to be clear together.
fn bits_equal(leaf: &Leaf, field: &Field, mask: u64, value: u64) -> Filter {
    let set = (0..64).map(|bit| 1 << bit).filter(|bit| value & bit != 0);
    let mut parts: Vec<Filter> = set.map(|bit| any_bit(leaf, field, bit)).collect();
    parts.push(Filter::not(any_bit(leaf, field, mask & !value)));
    Filter::all(parts)
}

/// `field & mask` as the kernel's filter means it: a bit in common.
fn any_bit(leaf: &Leaf, field: &Field, mask: u64) -> Filter {
    if mask == 0 {
        return Filter::Const(false);
    }
    // A signed field's number is read by `kstrtoll`, which refuses the top bit of 64 as a positive one.
    let text = if field.signed && field.size == 8 { (mask as i64).to_string() } else { mask.to_string() };
    Filter::Predicate(format!("{} & {text}", leaf.operand))
}

fn integer_of(leaf: &Leaf, field: &Field) -> Result<IntegerType, LowerError> {
    // The filter has comparisons for these sizes only (`select_comparison_fn`); any other never matches, `!=` neither.
    field
        .integer()
        .filter(|_| matches!(field.size, 1 | 2 | 4 | 8))
        .ok_or_else(|| LowerError::NotInteger { leaf: leaf.clone(), type_text: field.type_text.clone() })
}

fn check_range(leaf: &Leaf, value: i128, min: i128, max: i128) -> Result<(), LowerError> {
    if (min..=max).contains(&value) {
        Ok(())
    } else {
        Err(LowerError::OutOfRange { leaf: leaf.clone(), value, min, max })
    }
}

fn predicate(name: &str, op: CompareOp, value: i128) -> Filter {
    Filter::Predicate(format!("{name} {op} {value}"))
}

/// An argument of a system call that is signed in C and unsigned in the record.
///
/// A negative value of four bytes is there in one of two forms: the register as a 32-bit move leaves it,
/// `0x00000000_ffffff9c`, or extended by the caller, `0xffffffff_ffffff9c`. One of eight bytes has the second form only.
/// The kernel refuses a minus for such a field, and compares without sign.
struct SignedArgument<'a> {
    name: &'a str,
    /// Four bytes in C, not eight.
    narrow: bool,
}

/// A run of the field's values that stand for the negative numbers.
struct Negatives {
    first: i128,
    /// One past the last; `None` where it is the last value of all.
    end: Option<i128>,
    /// Added to a negative number, gives its value in this run.
    shift: i128,
}

impl SignedArgument<'_> {
    fn compare(&self, op: CompareOp, value: i128) -> Filter {
        match op {
            CompareOp::Eq => Filter::any(self.spellings(CompareOp::Eq, value)),
            CompareOp::Ne => Filter::all(self.spellings(CompareOp::Ne, value)),
            CompareOp::Lt | CompareOp::Le if value < 0 => Filter::any(self.within(op, value, true)),
            CompareOp::Lt | CompareOp::Le => self.non_negative_or_less(op, value),
            CompareOp::Gt | CompareOp::Ge if value < 0 => {
                let non_negative = predicate(self.name, CompareOp::Lt, self.lowest_negative());
                Filter::any([vec![non_negative], self.within(op, value, false)].concat())
            }
            CompareOp::Gt | CompareOp::Ge => Filter::all(vec![
                predicate(self.name, op, value),
                predicate(self.name, CompareOp::Lt, self.lowest_negative()),
            ]),
        }
    }

    /// The forms of the negative numbers, ascending.
    fn negatives(&self) -> Vec<Negatives> {
        const WORD: i128 = 1 << 32;
        const ALL: i128 = 1 << 64;
        if self.narrow {
            vec![
                Negatives { first: 1 << 31, end: Some(WORD), shift: WORD },
                Negatives { first: ALL - (1 << 31), end: None, shift: ALL },
            ]
        } else {
            vec![Negatives { first: 1 << 63, end: None, shift: ALL }]
        }
    }

    fn lowest_negative(&self) -> i128 {
        if self.narrow { 1 << 31 } else { 1 << 63 }
    }

    fn spellings(&self, op: CompareOp, value: i128) -> Vec<Filter> {
        if value >= 0 {
            return vec![predicate(self.name, op, value)];
        }
        self.negatives().iter().map(|run| predicate(self.name, op, value + run.shift)).collect()
    }

    /// Per run: the negative numbers that compare so with a negative one.
    fn within(&self, op: CompareOp, value: i128, below: bool) -> Vec<Filter> {
        let part = |run: &Negatives| {
            let compared = predicate(self.name, op, value + run.shift);
            if below {
                Filter::all(vec![predicate(self.name, CompareOp::Ge, run.first), compared])
            } else {
                let end = run.end.map(|end| predicate(self.name, CompareOp::Lt, end));
                Filter::all([compared].into_iter().chain(end).collect())
            }
        };
        self.negatives().iter().map(part).collect()
    }

    fn non_negative_or_less(&self, op: CompareOp, value: i128) -> Filter {
        let negative = predicate(self.name, CompareOp::Ge, self.lowest_negative());
        if op == CompareOp::Lt && value == 0 {
            return negative;
        }
        Filter::any(vec![predicate(self.name, op, value), negative])
    }
}
