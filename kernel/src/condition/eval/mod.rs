//! The evaluator, which decides whether a condition holds for a record. [`ir`](super::ir) specifies its result; every
//! target has to agree with it.
//!
//! [`eval`] walks the condition as it is. [`Predicate`] prepares a condition for many records: everything that does not
//! depend on a record is computed once, and frequent atoms have forms of their own, which compare numbers without
//! extending them and texts without looking for their end. `kernel/tests/eval` tests that the two agree. Both read
//! fields straight from the record's bytes in its byte order, allocate nothing and build no error: an atom whose
//! operands cannot be read is false.

pub(super) mod integer;
mod mask;
mod predicate;
mod text;

use crate::condition::context::Context;
use crate::condition::ir::{Atom, Condition, Number};
use crate::record::Record;

use integer::{IntAt, Integer, arithmetic};
use mask::MaskAt;
use text::TextAt;

pub use predicate::Predicate;
use predicate::recorded;

/// Returns whether a condition holds for a record of the event whose fields it names.
///
/// The recursion is as deep as the condition and its numbers.
pub fn eval(condition: &Condition, record: &Record<'_>, context: &dyn Context) -> bool {
    match condition {
        Condition::Const(value) => *value,
        Condition::Atom(atom) => atom_holds(atom, record, context).unwrap_or(false),
        Condition::Not(inner) => !eval(inner, record, context),
        Condition::And(parts) => parts.iter().all(|part| eval(part, record, context)),
        Condition::Or(parts) => parts.iter().any(|part| eval(part, record, context)),
    }
}

/// Returns whether an atom holds; `None` if it cannot be evaluated.
fn atom_holds(atom: &Atom, record: &Record<'_>, context: &dyn Context) -> Option<bool> {
    Some(match atom {
        Atom::Compare { left, op, right } => {
            let (left, right) = (number(left, record, context)?, number(right, record, context)?);
            op.holds(left.value(), right.value())
        }
        Atom::In { of, ranges } => ranges.contains(number(of, record, context)?.value()),
        Atom::Text { of, test } => text::holds(test, TextAt::of(of)?.read(record, context)?),
        Atom::Mask { of, test, cpus } => mask::holds(*test, MaskAt::of(of)?.read(record)?, cpus),
        Atom::Function { of, name } => {
            let address = IntAt::address(of)?.word(record)?;
            context.function(name)?.contains(&address)
        }
    })
}

/// Returns the value of a number; `None` if it has no value.
fn number(number: &Number, record: &Record<'_>, context: &dyn Context) -> Option<Integer> {
    match number {
        Number::Const(value) => Some(Integer::of(*value)),
        Number::Cpu => Some(Integer::of(context.cpu()?.into())),
        Number::Field(_) | Number::Pid => recorded(number, record.format)?.read(record),
        Number::Tgid => Some(Integer::of(context.tgid()?.into())),
        Number::Cast { to, of } => Some(self::number(of, record, context)?.cast(*to)),
        Number::Binary { op, sign, left, right } => arithmetic(
            *op,
            *sign,
            self::number(left, record, context)?,
            self::number(right, record, context)?,
        ),
    }
}
