//! One parsed comparison: the `filter_pred_*` functions of kernel/trace/trace_events_filter.c.

use std::ops::Range;

use super::bytes::{sign_extend, uint};
use super::cpus::CpuMask;
use super::text::{Pattern, Text};
use tracec_kernel::condition::context::Context;
use tracec_kernel::tables::limits::{POINTED_TEXT_BYTES, TASK_COMM_LEN};

/// An operator: `OPS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Glob,
    Ne,
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
    BitAnd,
}

/// The texts of the operators, in the order in which the kernel tries them.
pub(super) const OPS: [(&[u8], Op); 8] = [
    (b"~", Op::Glob),
    (b"!=", Op::Ne),
    (b"==", Op::Eq),
    (b"<=", Op::Le),
    (b"<", Op::Lt),
    (b">=", Op::Ge),
    (b">", Op::Gt),
    (b"&", Op::BitAnd),
];

/// The location of a number in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberLocation {
    pub(super) offset: usize,
    /// Size in bytes: 1, 2, 4 or 8.
    pub(super) size: usize,
}

impl NumberLocation {
    fn read(self, record: &[u8]) -> Option<u64> {
        uint(record, self.offset, self.size)
    }
}

/// The location of the string of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringLocation {
    /// In the record, `size` bytes.
    Fixed { offset: usize, size: usize },
    /// Where the word at `offset` says, relative to the record's start.
    DataLoc { offset: usize },
    /// Where the word at `offset` says, relative to the end of the word.
    RelLoc { offset: usize },
    /// In the kernel's memory, at the address at `offset`.
    KernelPointer { offset: usize },
    /// In the task's memory, at the address at `offset`.
    UserPointer { offset: usize },
    /// The name of the task.
    Comm,
}

/// A comparison: `struct filter_pred`.
///
/// The kernel's comparisons give 0 where they cannot be made, whatever the operator. So do these, and also where the
/// record is too short for the field, which does not occur in a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// `FILTER_PRED_FN_NOP`: the field does not have the size of an integer. Never true, not even for `!=`.
    Never,
    /// `filter_pred_64` and the others, by size and sign. The kernel casts the value to the field's type, so that its
    /// upper bits do not count.
    Number { location: NumberLocation, signed: bool, op: Op, value: u64 },
    /// `filter_pred_64_cpumask` and the others: two or more CPUs, or none.
    NumberInMask { location: NumberLocation, op: Op, mask: CpuMask },
    /// `filter_pred_cpu`. Compares an `int`; `&` is not one of its operators.
    Cpu { op: Op, value: i32 },
    /// `filter_pred_cpu_cpumask`: two or more CPUs, or none.
    CpuInMask { op: Op, mask: CpuMask },
    /// `filter_pred_cpumask`, and `filter_pred_cpumask_cpu` for a set of one. So many bits of the mask in the record
    /// are compared.
    Mask { offset: usize, op: Op, mask: CpuMask, bits: u32 },
    /// `filter_pred_string` and the others.
    Text { location: StringLocation, pattern: Pattern, inverted: bool },
    /// `filter_pred_function`.
    Function { offset: usize, inside: Range<u64>, inverted: bool },
}

impl Test {
    /// Returns whether the comparison is true for a record.
    pub(super) fn holds(&self, record: &[u8], context: &dyn Context) -> bool {
        self.answer(record, context).unwrap_or(false)
    }

    /// Returns the result; `None` where the kernel cannot compare, or the record is too short.
    fn answer(&self, record: &[u8], context: &dyn Context) -> Option<bool> {
        match self {
            Test::Never => None,
            Test::Number { location, signed, op, value } => {
                compare(*op, location.read(record)?, *value, location.size, *signed)
            }
            Test::NumberInMask { location, op, mask } => {
                // `unsigned int cpu = *addr`: of eight bytes the upper four are ignored.
                let cpu = location.read(record)? as u32;
                if cpu < mask.cpus() { scalar_in_mask(*op, cpu, mask) } else { None }
            }
            Test::Cpu { op, value } => compare_cpu(*op, context.cpu()? as i32, *value),
            Test::CpuInMask { op, mask } => scalar_in_mask(*op, context.cpu()?, mask),
            Test::Mask { offset, op, mask, bits } => {
                let location = uint(record, *offset, 4)? & 0xffff;
                let overlap = mask.compare(record.get(location as usize..)?, *bits)?;
                match op {
                    Op::Eq => Some(overlap.equal),
                    Op::Ne => Some(!overlap.equal),
                    Op::BitAnd => Some(overlap.common),
                    _ => None,
                }
            }
            Test::Text { location, pattern, inverted } => {
                Some(location.matches(pattern, record, context)? != *inverted)
            }
            Test::Function { offset, inside, inverted } => {
                let address = uint(record, *offset, 8)?;
                Some(inside.contains(&address) != *inverted)
            }
        }
    }
}

/// Compares as `DEFINE_EQUALITY_PRED` and `DEFINE_COMPARISON_PRED` for a type of `size` bytes.
fn compare(op: Op, field: u64, value: u64, size: usize, signed: bool) -> Option<bool> {
    // The value is extended from the field's size: both sides then have the field's type.
    let (field, value) = if signed {
        (i128::from(sign_extend(field, size)), i128::from(sign_extend(value, size)))
    } else {
        let mask = u64::MAX >> (64 - 8 * size as u32);
        (i128::from(field & mask), i128::from(value & mask))
    };
    match op {
        Op::Eq => Some(field == value),
        Op::Ne => Some(field != value),
        Op::Lt => Some(field < value),
        Op::Le => Some(field <= value),
        Op::Gt => Some(field > value),
        Op::Ge => Some(field >= value),
        Op::BitAnd => Some(field & value != 0),
        Op::Glob => None,
    }
}

fn compare_cpu(op: Op, cpu: i32, value: i32) -> Option<bool> {
    match op {
        Op::Eq => Some(cpu == value),
        Op::Ne => Some(cpu != value),
        Op::Lt => Some(cpu < value),
        Op::Le => Some(cpu <= value),
        Op::Gt => Some(cpu > value),
        Op::Ge => Some(cpu >= value),
        Op::BitAnd | Op::Glob => None,
    }
}

/// Compares as `do_filter_scalar_cpumask`: one CPU never equals a set of other than one.
fn scalar_in_mask(op: Op, cpu: u32, mask: &CpuMask) -> Option<bool> {
    match op {
        Op::Eq => Some(false),
        Op::Ne => Some(true),
        Op::BitAnd => Some(mask.contains(cpu)),
        _ => None,
    }
}

impl StringLocation {
    /// Returns whether the pattern matches the string at this location.
    fn matches(self, pattern: &Pattern, record: &[u8], context: &dyn Context) -> Option<bool> {
        let pointer = |offset| uint(record, offset, 8);
        match self {
            StringLocation::Fixed { offset, size } => {
                Some(pattern.matches(Text::new(record.get(offset..)?, size)?))
            }
            StringLocation::DataLoc { offset } => located(pattern, record, offset, 0),
            StringLocation::RelLoc { offset } => located(pattern, record, offset, offset.checked_add(4)?),
            StringLocation::KernelPointer { offset } => {
                copied(pattern, context.kernel_text(pointer(offset)?)?)
            }
            StringLocation::UserPointer { offset } => copied(pattern, context.user_text(pointer(offset)?)?),
            StringLocation::Comm => {
                // After the NUL `__set_task_comm` (fs/exec.c) leaves only NULs.
                let mut comm = [0; TASK_COMM_LEN];
                let name = until_nul(context.comm()?);
                let length = name.len().min(TASK_COMM_LEN - 1);
                comm[..length].copy_from_slice(&name[..length]);
                Some(pattern.matches(Text::new(&comm, TASK_COMM_LEN)?))
            }
        }
    }
}

/// Compares as `filter_pred_strloc` and `filter_pred_strrelloc`: the word is the length and, from `base`, the offset.
fn located(pattern: &Pattern, record: &[u8], word: usize, base: usize) -> Option<bool> {
    let word = uint(record, word, 4)?;
    let start = base.checked_add((word & 0xffff) as usize)?;
    Some(pattern.matches(Text::new(record.get(start..)?, (word >> 16) as usize)?))
}

/// Compares as `filter_pchar`: the string is copied to a buffer (`test_string`, `test_ustring`), cut there, and ends in
/// a NUL.
fn copied(pattern: &Pattern, text: &[u8]) -> Option<bool> {
    let text = until_nul(text);
    let length = text.len().min(POINTED_TEXT_BYTES - 1);
    let mut buffer = [0; POINTED_TEXT_BYTES];
    buffer[..length].copy_from_slice(&text[..length]);
    Some(pattern.matches(Text::new(&buffer, length + 1)?))
}

fn until_nul(text: &[u8]) -> &[u8] {
    text.split(|&byte| byte == 0).next().unwrap_or_default()
}
