//! A condition as the text of a kernel's event filter (kernel/trace/trace_events_filter.c).
//!
//! The text means what the condition means, or there is none: what the kernel would accept and take for something
//! else is rewritten around the quirk or refused. The kernel's grammar, in short: `!` binds to one comparison or one
//! parenthesis, `&&` binds tighter than `||`, a comparison is `FIELD OP VALUE`, and a value is a number or a quoted
//! string without escapes.
//!
//! What the text cannot help: a `char` array, fixed or dynamic, that its event fills without a NUL. `format` files do
//! not tell, and kernels differ in how far they read then. Events that use the kernel's string macros have the NUL.

mod error;
mod filter;
mod glob;
mod integer;

use crate::condition::ir::{Condition, Operand};
use crate::format::{Field, FieldKind};
use crate::tables::{generic_fields, limits};

pub use error::{Leaf, LowerError};
use filter::Filter;

/// What a condition comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lowered {
    /// It holds for every record: no filter is due.
    Everything,
    /// It holds for no record.
    Nothing,
    /// It holds where this filter matches. At most [`limits::FILTER_BYTES`] long.
    Text(String),
}

/// Writes a condition as a kernel filter.
///
/// # Errors
/// [`LowerError`] if the kernel's filter cannot say it; it names the leaf of the condition that is at fault.
pub fn lower(condition: &Condition) -> Result<Lowered, LowerError> {
    let mut lowering = Lowering { leaves: 0 };
    match lowering.condition(condition)? {
        Filter::Const(true) => Ok(Lowered::Everything),
        Filter::Const(false) => Ok(Lowered::Nothing),
        filter => {
            let text = filter.to_string();
            if text.len() > limits::FILTER_BYTES {
                return Err(LowerError::TooLong { length: text.len() });
            }
            Ok(Lowered::Text(text))
        }
    }
}

struct Lowering {
    /// Leaves seen so far.
    leaves: usize,
}

impl Lowering {
    fn condition(&mut self, condition: &Condition) -> Result<Filter, LowerError> {
        match condition {
            Condition::Const(value) => Ok(Filter::Const(*value)),
            Condition::Not(inner) => Ok(Filter::not(self.condition(inner)?)),
            Condition::And(parts) => Ok(Filter::all(self.each(parts)?)),
            Condition::Or(parts) => Ok(Filter::any(self.each(parts)?)),
            Condition::Compare { operand, op, value } => {
                integer::compare(&self.leaf(operand)?, operand, *op, *value)
            }
            Condition::AnyBit { operand, mask } => integer::any_bit(&self.leaf(operand)?, operand, *mask),
            Condition::TextEq { operand, text } => equality(&self.leaf(operand)?, operand, "==", text),
            Condition::TextNe { operand, text } => equality(&self.leaf(operand)?, operand, "!=", text),
            Condition::Glob { operand, pattern } => {
                let leaf = self.leaf(operand)?;
                glob::lower(&leaf, operand, pattern)
            }
        }
    }

    fn each(&mut self, parts: &[Condition]) -> Result<Vec<Filter>, LowerError> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    /// Counts a leaf and checks that the kernel's grammar can name its operand.
    fn leaf(&mut self, operand: &Operand) -> Result<Leaf, LowerError> {
        let name = match operand {
            Operand::Field(field) => field.name.as_str(),
            Operand::Cpu => generic_fields::CPU,
            Operand::Comm => generic_fields::COMM,
        };
        let leaf = Leaf { index: self.leaves, operand: name.to_owned() };
        self.leaves += 1;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(LowerError::FieldName { leaf });
        }
        Ok(leaf)
    }
}

/// Where text is kept, as far as matching depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextPlace {
    /// `char[N]` in the record or in the task: what follows the NUL is left over from earlier texts.
    Fixed {
        /// Longest text, bytes without the NUL.
        room: usize,
    },
    /// `__data_loc` or `__rel_loc`: has its length.
    Dynamic,
    /// `char *`: the kernel copies it, and nothing matches if that faults.
    Pointed,
}

impl TextPlace {
    fn of(leaf: &Leaf, operand: &Operand) -> Result<TextPlace, LowerError> {
        match operand {
            Operand::Comm => Ok(TextPlace::Fixed { room: limits::TASK_COMM_LEN - 1 }),
            Operand::Field(Field { kind: FieldKind::CharArray, size, .. }) => {
                Ok(TextPlace::Fixed { room: (*size as usize).saturating_sub(1) })
            }
            Operand::Field(Field { kind: FieldKind::DynString | FieldKind::RelString, .. }) => {
                Ok(TextPlace::Dynamic)
            }
            Operand::Field(Field { kind: FieldKind::CharPtr, .. }) => Ok(TextPlace::Pointed),
            Operand::Cpu | Operand::Field(_) => Err(LowerError::NotText { leaf: leaf.clone() }),
        }
    }

    /// Refuses a text, or the shortest that a pattern matches, that has no room in the field: the kernel would compare
    /// as many bytes as there are (`strncmp` with the field's size) and call the rest equal.
    fn check_room(self, leaf: &Leaf, length: usize) -> Result<(), LowerError> {
        match self {
            TextPlace::Fixed { room } if length > room => {
                Err(LowerError::TextTooLong { leaf: leaf.clone(), length, room })
            }
            // One byte of the copy is the NUL.
            TextPlace::Pointed if length >= limits::POINTED_TEXT_BYTES => Err(LowerError::TextTooLong {
                leaf: leaf.clone(),
                length,
                room: limits::POINTED_TEXT_BYTES - 1,
            }),
            _ => Ok(()),
        }
    }
}

/// `operand == "text"` or `operand != "text"`.
fn equality(leaf: &Leaf, operand: &Operand, op: &str, text: &str) -> Result<Filter, LowerError> {
    TextPlace::of(leaf, operand)?.check_room(leaf, text.len())?;
    Ok(Filter::Predicate(format!("{} {op} {}", leaf.operand, quote(leaf, text)?)))
}

/// A string operand. The kernel has no escapes: a quote of one kind can only stand between two of the other.
fn quote(leaf: &Leaf, text: &str) -> Result<String, LowerError> {
    if text.contains('\0') {
        return Err(LowerError::Nul { leaf: leaf.clone() });
    }
    if text.len() > limits::STRING_OPERAND_BYTES {
        return Err(LowerError::OperandTooLong { leaf: leaf.clone(), length: text.len() });
    }
    match (text.contains('"'), text.contains('\'')) {
        (false, _) => Ok(format!("\"{text}\"")),
        (true, false) => Ok(format!("'{text}'")),
        (true, true) => Err(LowerError::Quotes { leaf: leaf.clone() }),
    }
}

#[cfg(test)]
mod tests;
