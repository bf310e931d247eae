//! Conversion of a condition to the text of a kernel's event filter (kernel/trace/trace_events_filter.c).
//!
//! The text has the meaning of the condition for every record that the kernel can write, or there is no text: a
//! condition that the kernel would accept and misinterpret is rewritten around the quirk or refused. The law is
//! `Filter::parse(lower(c)).matches(record) == eval(c, record)`, with the [evaluator](super::eval) on one side and the
//! kernel's filter, as `tracec-oracle` models it, on the other; `oracle/tests/lowering` tests it.
//!
//! The kernel's grammar, in short: `!` binds to one comparison or one parenthesis, `&&` binds tighter than `||`, a
//! comparison is `FIELD OP VALUE`, and a value is a number, a quoted string without escapes, a list of CPUs or the name
//! of a function. Differences between kernels are in the [`Model`]; the names of the CPU and the task in the filter of
//! an event are its [`Spelling`].
//!
//! Two masks of CPUs are never compared as a whole: the kernel compares the bits of CPUs that the machine can have, or
//! some more, and does not define the other bits of a record. So `==` and `!=` of a mask are refused.
//!
//! A text may name functions that the kernel does not have; the kernel then refuses the text. The kernel also refuses a
//! list with a CPU that the machine cannot have, although a record may have that CPU's bit set. So there is no text for
//! such a list where the model states how many CPUs there can be. The model need not state it. For that reason, a set
//! of CPUs that `CPU` is compared with is never written as `CPUS{..}`, which would make a kernel refuse a set that
//! plain comparisons can express.

mod argument;
mod error;
mod filter;
mod glob;
pub(super) mod integer;
mod operand;
mod predicate;
mod set;
mod solve;
mod spelling;
mod text;
pub(super) mod words;

use crate::condition::ir::{Atom, Condition, Number, Text, TextTest};
use crate::filter::Model;
use crate::format::Field;
use crate::tables::{generic_fields, limits};

pub use error::{Leaf, LowerError};
pub use filter::Work;
pub use spelling::Spelling;

use filter::Filter;

/// The result of lowering a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lowered {
    /// The condition holds for every record: no filter is needed.
    Everything,
    /// The condition holds for no record.
    Nothing,
    /// The condition holds where this filter matches. The text is at most [`limits::FILTER_BYTES`] long.
    Text(String),
}

impl Lowered {
    /// Returns the text of the filter; `None` where there is nothing to decide.
    pub fn text(&self) -> Option<&str> {
        match self {
            Lowered::Text(text) => Some(text),
            Lowered::Everything | Lowered::Nothing => None,
        }
    }
}

/// Returns a condition as a filter of a kernel of this model, for an event with this spelling.
///
/// # Errors
/// A [`LowerError`] if the kernel's filter cannot express the condition; it names the atom at fault.
pub fn lower(condition: &Condition, spelling: &Spelling, model: &Model) -> Result<Lowered, LowerError> {
    FilterTree::new(condition, spelling, model)?.lowered()
}

/// A condition in the terms of a kernel's filter, before its text is written: conditions that are joined are lowered
/// once each.
#[derive(Clone, Debug)]
pub struct FilterTree(Filter);

impl FilterTree {
    /// Converts a condition, regardless of the length of its text.
    ///
    /// # Errors
    /// As [`lower`].
    pub fn new(condition: &Condition, spelling: &Spelling, model: &Model) -> Result<Self, LowerError> {
        let lowered = Lowering { spelling, model, atoms: 0 }.condition(condition).map(FilterTree);
        // No other way to write the condition helps where the process id is asked for, so this is the reason.
        lowered.map_err(|error| process_id(condition).map_or(error, |leaf| LowerError::ProcessId { leaf }))
    }

    /// Returns the filter alone.
    ///
    /// # Errors
    /// [`LowerError::TooLong`].
    pub fn lowered(&self) -> Result<Lowered, LowerError> {
        FilterTree::all([self])
    }

    /// Returns the filter that matches where all of these do: what [`lower`] returns for the conjunction of their
    /// conditions.
    ///
    /// # Errors
    /// [`LowerError::TooLong`].
    pub fn all<'a>(trees: impl IntoIterator<Item = &'a FilterTree>) -> Result<Lowered, LowerError> {
        let text = match filter::conjunction(trees.into_iter().map(|tree| &tree.0)) {
            Ok(text) => text,
            Err(true) => return Ok(Lowered::Everything),
            Err(false) => return Ok(Lowered::Nothing),
        };
        match text.len() {
            length if length > limits::FILTER_BYTES => Err(LowerError::TooLong { length }),
            _ => Ok(Lowered::Text(text)),
        }
    }

    /// Returns a filter of fewer comparisons that matches wherever this one does, for those who decide the rest
    /// elsewhere; `None` if this one has few, or if none of them can be left out.
    pub fn fewer(&self) -> Option<FilterTree> {
        self.0.fewer().map(FilterTree)
    }

    /// Returns the number of its comparisons.
    pub fn comparisons(&self) -> usize {
        self.0.comparisons()
    }

    /// Returns its value if it is the same for every record.
    pub fn constant(&self) -> Option<bool> {
        match self.0 {
            Filter::Const(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the cost of the most expensive comparison in the text. It may differ from the condition's own tests, as
    /// equality is often written as a pattern. `None` of a constant.
    pub fn work(&self) -> Option<Work> {
        self.0.work()
    }
}

/// Returns the first atom that reads the process id.
fn process_id(condition: &Condition) -> Option<Leaf> {
    let reads = |atom: &Atom| match atom {
        Atom::Compare { left, right, .. } => left.reads_process_id() || right.reads_process_id(),
        Atom::In { of, ranges } => !ranges.is_empty() && of.reads_process_id(),
        Atom::Text { .. } | Atom::Mask { .. } | Atom::Function { .. } => false,
    };
    let index = condition.atoms().into_iter().position(reads)?;
    Some(Leaf { index, operand: Number::Tgid.to_string() })
}

/// Returns whether a pattern has an inverted class.
pub(super) fn inverts(test: &TextTest) -> bool {
    matches!(test, TextTest::Glob(pattern) if pattern.tokens().iter().any(glob::is_inverted))
}

/// Returns whether a kernel's filter can express an atom at an event that hides no name, regardless of the length of
/// the text.
///
/// # Errors
/// As [`lower`].
pub(super) fn can_say(atom: &Atom, model: &Model) -> Result<(), LowerError> {
    Lowering { spelling: &Spelling::USUAL, model, atoms: 0 }.atom(atom).map(drop)
}

struct Lowering<'a> {
    spelling: &'a Spelling,
    model: &'a Model,
    /// The number of atoms seen so far.
    atoms: usize,
}

impl Lowering<'_> {
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
                integer::compare(&self.leaf(named_after(left))?, left, *op, right)
            }
            Atom::In { of, ranges } => integer::within(&self.leaf(named_after(of))?, of, ranges),
            Atom::Text { of, test } => text::lower(&self.leaf(text_named_after(of))?, of, test, self.model),
            Atom::Mask { of, test, cpus } => {
                words::mask(&self.leaf(FilterOperand::Field(of))?, of, *test, cpus, self.model)
            }
            Atom::Function { of, name } => {
                words::function(&self.leaf(FilterOperand::Field(of))?, of, name, self.model)
            }
        }
    }

    /// Counts an atom and checks that the filter can name what it asks about.
    fn leaf(&mut self, operand: FilterOperand<'_>) -> Result<Leaf, LowerError> {
        let leaf = |operand: &str| Leaf { index: self.atoms, operand: operand.to_owned() };
        let spelled = |name: Option<&str>, usual| match name {
            Some(name) => Ok(leaf(name)),
            None => Err(LowerError::Hidden { leaf: leaf(usual) }),
        };
        let named = match operand {
            FilterOperand::Field(field) if is_plain(&field.name) => Ok(leaf(&field.name)),
            FilterOperand::Field(field) => Err(LowerError::FieldName { leaf: leaf(&field.name) }),
            FilterOperand::Cpu => spelled(self.spelling.cpu, generic_fields::CPU),
            FilterOperand::Comm => spelled(self.spelling.comm, generic_fields::COMM),
            FilterOperand::Pid => match self.spelling.pid {
                Some(name) => Ok(leaf(name)),
                None => Err(LowerError::FieldName { leaf: leaf(&Number::Pid.to_string()) }),
            },
            FilterOperand::Tgid => Ok(leaf(&Number::Tgid.to_string())),
            FilterOperand::Constant => Ok(leaf("a constant")),
        };
        self.atoms += 1;
        named
    }
}

/// The operand of a test.
pub(super) enum FilterOperand<'a> {
    Field(&'a Field),
    Cpu,
    Pid,
    Tgid,
    Comm,
    /// A constant, not a value of the record or its moment. The language has no such test.
    Constant,
}

/// Returns whether the kernel's grammar accepts a name as that of a field (`parse_pred`).
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the first named operand in a number.
pub(super) fn named_after(number: &Number) -> FilterOperand<'_> {
    match number {
        Number::Field(field) => FilterOperand::Field(field),
        Number::Const(_) => FilterOperand::Constant,
        Number::Cpu => FilterOperand::Cpu,
        Number::Pid => FilterOperand::Pid,
        Number::Tgid => FilterOperand::Tgid,
        Number::Cast { of, .. } => named_after(of),
        Number::Binary { left, right, .. } => match **left {
            Number::Const(_) => named_after(right),
            _ => named_after(left),
        },
    }
}

pub(super) fn text_named_after(text: &Text) -> FilterOperand<'_> {
    match text {
        Text::Field(field) | Text::User(field) => FilterOperand::Field(field),
        Text::Comm => FilterOperand::Comm,
    }
}

#[cfg(test)]
mod tests;
