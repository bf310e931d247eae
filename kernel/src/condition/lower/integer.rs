//! Comparisons and bit tests of integers.
//!
//! The kernel reads a number with 64 bits, by the field's `signed:`, and then cuts it to the field's size
//! (`parse_pred`): only what is in range may be written. An argument of a system call is the hard case: eight unsigned
//! bytes that may mean a signed C type ([`Field::integer`]).

use super::error::{Leaf, LowerError};
use super::filter::Filter;
use crate::condition::ir::{CompareOp, Operand};
use crate::format::{Field, IntegerType};

/// `raw_smp_processor_id()` is an `int`, and the filter compares it as one (`filter_pred_cpu`).
const CPU: IntegerType = IntegerType { bytes: 4, signed: true };

/// `operand OP value`.
pub(super) fn compare(
    leaf: &Leaf,
    operand: &Operand,
    op: CompareOp,
    value: i128,
) -> Result<Filter, LowerError> {
    let integer = match operand {
        Operand::Cpu => CPU,
        Operand::Field(field) => integer_of(leaf, field)?,
        Operand::Comm => {
            return Err(LowerError::NotInteger { leaf: leaf.clone(), type_text: "char[16]".to_owned() });
        }
    };
    check_range(leaf, value, integer.min(), integer.max())?;
    match operand {
        Operand::Field(field) if integer.signed && !field.signed => {
            Ok(SignedArgument { name: &leaf.operand, narrow: integer.bytes == 4 }.compare(op, value))
        }
        _ => Ok(predicate(&leaf.operand, op, value)),
    }
}

/// `operand & mask`.
pub(super) fn any_bit(leaf: &Leaf, operand: &Operand, mask: u64) -> Result<Filter, LowerError> {
    let field = match operand {
        Operand::Field(field) => field,
        Operand::Cpu => return Err(LowerError::BitsOfCpu { leaf: leaf.clone() }),
        Operand::Comm => {
            return Err(LowerError::NotInteger { leaf: leaf.clone(), type_text: "char[16]".to_owned() });
        }
    };
    let integer = integer_of(leaf, field)?;
    let unsigned = IntegerType { signed: false, ..integer };
    check_range(leaf, i128::from(mask), 0, unsigned.max())?;
    if mask == 0 {
        return Ok(Filter::Const(false));
    }
    // A signed field's number is read by `kstrtoll`, which refuses the top bit of 64 as a positive one.
    let text = if field.signed && field.size == 8 { (mask as i64).to_string() } else { mask.to_string() };
    Ok(Filter::Predicate(format!("{} & {text}", leaf.operand)))
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
    let op = match op {
        CompareOp::Eq => "==",
        CompareOp::Ne => "!=",
        CompareOp::Lt => "<",
        CompareOp::Le => "<=",
        CompareOp::Gt => ">",
        CompareOp::Ge => ">=",
    };
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
