//! What stands on the sides of a comparison.

use tracec_grammar::span::Span;
use tracec_grammar::syntax::ExprId;
use tracec_kernel::condition::ir::{Number, Text};
use tracec_kernel::format::{Field, FieldKind};
use tracec_kernel::tables::limits;

/// What the record or its context gives.
#[derive(Clone)]
pub(super) enum Operand {
    /// A field of the event, common ones included.
    Field(Field),
    /// The CPU that recorded it.
    Cpu,
    /// The name of the task that ran.
    Comm,
}

impl Operand {
    /// The integer that it is, of one whose class is [`Class::Integer`] or [`Class::Cpu`].
    pub(super) fn number(&self) -> Number {
        match self {
            Operand::Field(field) => Number::Field(field.clone()),
            Operand::Cpu | Operand::Comm => Number::Cpu,
        }
    }

    /// The text that it is, of one whose class is [`Class::Text`].
    pub(super) fn text(&self) -> Text {
        match self {
            Operand::Field(field) => Text::Field(field.clone()),
            Operand::Cpu | Operand::Comm => Text::Comm,
        }
    }
}

/// One side of a comparison.
pub(super) enum Side {
    /// Something the record or its context gives.
    Operand(Target),
    /// `operand & mask`.
    Masked(Target, u64),
    /// Something without an operand: a constant, or a word that is none.
    Constant(ExprId),
    /// `CPUS{0-3}`: ranges with both ends in.
    Cpus(Vec<(u32, u32)>, Span),
}

/// An operand with what diagnostics need.
#[derive(Clone)]
pub(super) struct Target {
    pub(super) operand: Operand,
    pub(super) name: String,
    pub(super) span: Span,
}

/// How an operand can be compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Integer,
    Text,
    Cpu,
    Cpumask,
    Nothing,
}

impl Target {
    pub(super) fn class(&self) -> Class {
        match &self.operand {
            Operand::Cpu => Class::Cpu,
            Operand::Comm => Class::Text,
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

    /// Whether it can be below 0.
    pub(super) fn is_signed(&self) -> bool {
        match &self.operand {
            Operand::Field(field) => field.integer().is_some_and(|integer| integer.signed),
            Operand::Cpu | Operand::Comm => false,
        }
    }

    pub(super) fn type_text(&self) -> &str {
        match &self.operand {
            Operand::Cpu => "int",
            Operand::Comm => "char[16]",
            Operand::Field(field) => &field.type_text,
        }
    }
}

impl Class {
    pub(super) fn describe(self) -> &'static str {
        match self {
            Class::Integer => "an integer",
            Class::Text => "text",
            Class::Cpu => "the CPU number",
            Class::Cpumask => "a CPU mask",
            Class::Nothing => "neither integer nor text",
        }
    }

    pub(super) fn operators(self) -> &'static str {
        match self {
            Class::Integer => "`==`, `!=`, `<`, `<=`, `>`, `>=` and `&`",
            Class::Text => "`==`, `!=`, `~` and `!~`",
            Class::Cpu => "`==`, `!=`, `<`, `<=`, `>` and `>=`",
            Class::Cpumask | Class::Nothing => "none",
        }
    }

    /// What it is compared with.
    pub(super) fn wants(self) -> &'static str {
        match self {
            Class::Integer | Class::Cpu => "a number",
            Class::Text => "a text in double quotes",
            Class::Cpumask => "a list of CPUs",
            Class::Nothing => "nothing",
        }
    }
}

/// The values that an operand can have.
pub(super) fn range(operand: &Operand) -> (i128, i128) {
    match operand {
        Operand::Cpu => (0, i128::from(i32::MAX)),
        Operand::Field(field) => field.integer().map_or((0, 0), |integer| (integer.min(), integer.max())),
        Operand::Comm => (0, 0),
    }
}

/// How many bytes of text an operand can hold; `None` where the record itself says.
pub(super) fn room(operand: &Operand) -> Option<usize> {
    match operand {
        Operand::Cpu => None,
        Operand::Comm => Some(limits::TASK_COMM_LEN - 1),
        Operand::Field(field) => {
            (field.kind == FieldKind::CharArray).then_some((field.size as usize).saturating_sub(1))
        }
    }
}
