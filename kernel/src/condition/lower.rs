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

use crate::condition::ir::{Atom, Condition, Number, Text, TextPlace, TextTest};
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
    let mut lowering = Lowering { atoms: 0 };
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
    /// Atoms seen so far.
    atoms: usize,
}

impl Lowering {
    fn condition(&mut self, condition: &Condition) -> Result<Filter, LowerError> {
        match condition {
            Condition::Const(value) => Ok(Filter::Const(*value)),
            Condition::Not(inner) => Ok(Filter::not(self.condition(inner)?)),
            Condition::And(parts) => Ok(Filter::all(self.each(parts)?)),
            Condition::Or(parts) => Ok(Filter::any(self.each(parts)?)),
            Condition::Atom(atom) => self.atom(atom),
        }
    }

    fn each(&mut self, parts: &[Condition]) -> Result<Vec<Filter>, LowerError> {
        parts.iter().map(|part| self.condition(part)).collect()
    }

    fn atom(&mut self, atom: &Atom) -> Result<Filter, LowerError> {
        match atom {
            Atom::Compare { left, op, right } => {
                integer::compare(&self.leaf(number_name(left))?, left, *op, right)
            }
            Atom::In { of, ranges } => integer::within(&self.leaf(number_name(of))?, of, ranges),
            Atom::Text { of, test } => text(&self.leaf(text_name(of))?, of, test),
            Atom::Mask { of, .. } => Err(LowerError::Mask { leaf: self.leaf(&of.name)? }),
            Atom::Function { of, .. } => Err(LowerError::Function { leaf: self.leaf(&of.name)? }),
        }
    }

    /// Counts an atom and checks that the kernel's grammar can name what it asks about.
    fn leaf(&mut self, name: &str) -> Result<Leaf, LowerError> {
        let leaf = Leaf { index: self.atoms, operand: name.to_owned() };
        self.atoms += 1;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(LowerError::FieldName { leaf });
        }
        Ok(leaf)
    }
}

/// The first name in a number, as the kernel's filter spells it.
fn number_name(number: &Number) -> &str {
    match number {
        Number::Field(field) => &field.name,
        Number::Const(_) | Number::Cpu => generic_fields::CPU,
        Number::Cast { of, .. } => number_name(of),
        Number::Binary { left, right, .. } => match **left {
            Number::Const(_) => number_name(right),
            _ => number_name(left),
        },
    }
}

fn text_name(text: &Text) -> &str {
    match text {
        Text::Field(field) | Text::User(field) => &field.name,
        Text::Comm => generic_fields::COMM,
    }
}

fn text(leaf: &Leaf, of: &Text, test: &TextTest) -> Result<Filter, LowerError> {
    let place = match of.place() {
        Some(TextPlace::User) => return Err(LowerError::UserMemory { leaf: leaf.clone() }),
        Some(place) => place,
        None => return Err(LowerError::NotText { leaf: leaf.clone() }),
    };
    match test {
        TextTest::Eq(text) => equality(leaf, place, "==", text),
        TextTest::Ne(text) => equality(leaf, place, "!=", text),
        TextTest::Glob(pattern) => glob::lower(leaf, place, pattern),
    }
}

/// Refuses a text, or the shortest that a pattern matches, that has no room in the field: the kernel would compare
/// as many bytes as there are (`strncmp` with the field's size) and call the rest equal.
fn check_room(leaf: &Leaf, place: TextPlace, length: usize) -> Result<(), LowerError> {
    let room = match place {
        TextPlace::Fixed { room } => room,
        // One byte of the copy is the NUL.
        TextPlace::Kernel | TextPlace::User => limits::POINTED_TEXT_BYTES - 1,
        TextPlace::Dynamic => return Ok(()),
    };
    if length > room { Err(LowerError::TextTooLong { leaf: leaf.clone(), length, room }) } else { Ok(()) }
}

/// `operand == "text"` or `operand != "text"`.
fn equality(leaf: &Leaf, place: TextPlace, op: &str, text: &str) -> Result<Filter, LowerError> {
    check_room(leaf, place, text.len())?;
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
