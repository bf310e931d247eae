//! Operands of comparisons.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::ExprId;
use tracec_kernel::condition::ir::{Condition, Number, Sign, Text, TextStorage};
use tracec_kernel::format::{Field, FieldKind, IntegerType};
use tracec_kernel::tables::measures::{Measure, measure};
use tracec_kernel::tables::{c_types, limits};

use crate::ir::definition::EnumId;

/// A value that the record or its context gives.
#[derive(Clone)]
pub(super) enum Operand {
    /// A field of the event, common ones included.
    Field(Field),
    /// The CPU that wrote the record.
    Cpu,
    /// The thread id of the task that ran.
    Pid,
    /// The process id of the task that ran.
    Tgid,
    /// The name of the task that ran.
    Comm,
    /// `field.ustring`: the text that a `char *` points to in the task's memory.
    User(Field),
    /// `field.function`: the function that contains an address.
    Function(Field),
    /// A number that is computed.
    Computed(Computed),
}

/// A computed number: `x + 1`, `flags & 6`, `-x`, `x as u8`.
#[derive(Clone)]
pub(super) struct Computed {
    /// The computation.
    pub(super) number: Number,
    /// The bits that can be set in it, if it is `x & mask`: the mask in two's complement.
    pub(super) mask: Option<u64>,
    /// The source of names for its values.
    pub(super) names: Option<ValueNames>,
}

/// The source of names for an operand's values.
#[derive(Clone)]
pub(super) enum ValueNames {
    /// The table that the event prints this field with.
    Field(Field),
    /// The members of an enum: `x as Status`.
    Enum(EnumId),
}

impl Operand {
    /// Returns the operand as a number; its class is [`Class::Integer`] or [`Class::Cpu`].
    pub(super) fn number(&self) -> Number {
        match self {
            Operand::Field(field) | Operand::User(field) | Operand::Function(field) => {
                Number::Field(field.clone())
            }
            Operand::Cpu | Operand::Comm => Number::Cpu,
            Operand::Pid => Number::Pid,
            Operand::Tgid => Number::Tgid,
            Operand::Computed(computed) => computed.number.clone(),
        }
    }

    /// Returns the operand as a text; `None` if it is not one.
    pub(super) fn text(&self) -> Option<Text> {
        match self {
            Operand::Field(field) => Some(Text::Field(field.clone())),
            Operand::User(field) => Some(Text::User(field.clone())),
            Operand::Comm => Some(Text::Comm),
            Operand::Cpu | Operand::Pid | Operand::Tgid | Operand::Function(_) | Operand::Computed(_) => None,
        }
    }

    /// Returns the source of names for its values.
    pub(super) fn value_names(&self) -> Option<ValueNames> {
        match self {
            Operand::Field(field) => Some(ValueNames::Field(field.clone())),
            Operand::Computed(computed) => computed.names.clone(),
            Operand::Cpu
            | Operand::Pid
            | Operand::Tgid
            | Operand::Comm
            | Operand::User(_)
            | Operand::Function(_) => None,
        }
    }

    /// Returns the bits that can be set in it, where a mask limits them.
    pub(super) fn mask(&self) -> Option<u64> {
        if let Operand::Computed(computed) = self { computed.mask } else { None }
    }
}

/// One side of a comparison.
pub(super) enum Side {
    /// A value that the record or its context gives.
    Operand(NamedOperand),
    /// An expression without an operand: a constant, or an unknown word.
    Constant(ExprId),
    /// `CPUS{0-3}`: ranges that include both ends.
    Cpus(Vec<(u32, u32)>, Span),
    /// `cpu & CPUS{0-3}`: a test, not a value.
    Test(Condition, Span),
}

/// An operand with the data that diagnostics need.
#[derive(Clone)]
pub(super) struct NamedOperand {
    pub(super) operand: Operand,
    pub(super) name: String,
    pub(super) span: Span,
}

/// The kind of comparisons that an operand supports.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Integer,
    Text,
    Cpu,
    Cpumask,
    Function,
    Nothing,
}

impl NamedOperand {
    pub(super) fn class(&self) -> Class {
        match &self.operand {
            Operand::Cpu => Class::Cpu,
            Operand::Comm | Operand::User(_) => Class::Text,
            Operand::Function(_) => Class::Function,
            Operand::Pid | Operand::Tgid | Operand::Computed(_) => Class::Integer,
            Operand::Field(field) => match field.kind {
                FieldKind::Int => Class::Integer,
                FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString | FieldKind::CharPtr => {
                    Class::Text
                }
                FieldKind::DynCpumask | FieldKind::RelCpumask => Class::Cpumask,
                _ => Class::Nothing,
            },
        }
    }

    /// Returns whether the operand is a number.
    pub(super) fn is_number(&self) -> bool {
        matches!(self.class(), Class::Integer | Class::Cpu)
    }

    /// Returns whether a kernel's function could have returned the value as a negative error: a signed field, as it is
    /// or cast. This is unknown for other computed values.
    pub(super) fn is_signed_field(&self) -> bool {
        match &self.operand {
            Operand::Field(field) => field.integer().is_some_and(|integer| integer.signed),
            // `-ret as Errno` has been negated already.
            Operand::Computed(Computed { number: Number::Cast { to, of }, .. }) => {
                to.signed && matches!(**of, Number::Field(_) | Number::Cast { .. })
            }
            _ => false,
        }
    }

    pub(super) fn type_text(&self) -> &str {
        match &self.operand {
            Operand::Cpu | Operand::Pid | Operand::Tgid => "int",
            Operand::Comm => "char[16]",
            Operand::Field(field) | Operand::User(field) | Operand::Function(field) => &field.type_text,
            Operand::Computed(computed) => match &computed.number {
                Number::Cast { to, .. } => short_name(*to),
                number if number.sign() == Sign::Signed => "s64",
                _ => "u64",
            },
        }
    }
}

/// Returns the shortest name of an integer type.
fn short_name(ty: IntegerType) -> &'static str {
    let named = c_types::ALL.iter().filter(|c| c.integer() == ty).map(|c| c.name);
    named.min_by_key(|name| (!name.starts_with(['s', 'u']), name.len())).unwrap_or("s64")
}

impl Class {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Class::Integer => "an integer",
            Class::Text => "a string",
            Class::Cpu => "the CPU number",
            Class::Cpumask => "a CPU mask",
            Class::Function => "a function",
            Class::Nothing => "neither an integer nor a string",
        }
    }

    pub(super) fn operators(self) -> &'static str {
        match self {
            Class::Integer => "the comparisons and those of arithmetic",
            Class::Text => "`==`, `!=`, `~` and `!~`",
            Class::Cpu => "the comparisons, those of arithmetic, and `&` with a list of CPUs",
            Class::Cpumask => "`==`, `!=` and `&`, with a list of CPUs",
            Class::Function => "`==` and `!=`",
            Class::Nothing => "none",
        }
    }

    /// Returns what the operand is compared with, for messages.
    pub(super) fn wants(self) -> &'static str {
        match self {
            Class::Integer | Class::Cpu => "a number",
            Class::Text => "a string in double quotes",
            Class::Cpumask => "a list of CPUs, `CPUS{0-3}`",
            Class::Function => "the name of a function",
            Class::Nothing => "nothing",
        }
    }
}

/// Returns what the number in a field is, if that is known and not a number of bytes.
pub(super) fn measured(field: &Field) -> Option<Measure> {
    field.integer().and_then(|_| measure(&field.type_text, &field.name))
}

/// Returns the range of an operand. That of `x & mask` with a nonnegative mask is 0 to the mask.
pub(super) fn range(operand: &Operand) -> (i128, i128) {
    match operand {
        Operand::Comm | Operand::User(_) | Operand::Function(_) => (0, 0),
        Operand::Cpu | Operand::Pid | Operand::Tgid | Operand::Field(_) => operand.number().range(),
        Operand::Computed(Computed { number, mask, .. }) => match (number.sign(), mask) {
            (Sign::Unsigned, Some(mask)) => (0, i128::from(*mask)),
            (Sign::Signed, Some(mask)) if i64::try_from(*mask).is_ok() => (0, i128::from(*mask)),
            _ => number.range(),
        },
    }
}

/// Returns whether an array holds a C string; one of `unsigned char` may hold the bytes of an address.
fn is_string(operand: &Operand) -> bool {
    matches!(operand, Operand::Field(field) if !field.type_text.starts_with("unsigned char"))
}

/// Returns how many bytes of text an operand can hold; `None` where that depends on the record.
pub(super) fn room(operand: &Operand) -> Option<usize> {
    match operand.text()?.storage()? {
        // A C string has a NUL in its array.
        TextStorage::Fixed { room } if is_string(operand) => Some(room.saturating_sub(1)),
        TextStorage::Fixed { room } => Some(room),
        // One byte of the copy is the NUL.
        TextStorage::Kernel | TextStorage::User => Some(limits::POINTED_TEXT_BYTES - 1),
        TextStorage::Dynamic => None,
    }
}

#[cfg(test)]
mod tests {
    use tracec_kernel::format::EventFormat;

    use super::*;

    /// A C string has its NUL in the array, a hardware address has none.
    #[test]
    fn arrays_of_bytes_have_room_for_all_of_them() {
        let format = "name: e\nID: 1\nformat:\n\
            \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
            \tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:1;\n\
            \tfield:unsigned char addr[6];\toffset:24;\tsize:6;\tsigned:0;\n\nprint fmt: \"\"\n";
        let event = EventFormat::parse("s", format).unwrap();
        let room = |name| room(&Operand::Field(event.field(name).unwrap().clone()));
        assert_eq!((room("comm"), room("addr")), (Some(15), Some(6)));
    }
}
