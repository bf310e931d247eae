//! Fields as decoders return them, against the kernel crate's reader of records.

use std::fmt::Write;

use tracec_kernel::format::{Field, FieldKind};
use tracec_kernel::record::{Record, Value};

/// Returns what a decoder has to print for a record: a line for each field.
pub(crate) fn expected(record: &Record<'_>) -> String {
    let mut text = String::new();
    for field in record.format.fields.iter() {
        writeln!(text, "{} {}", field.name, shown(field, record)).expect("a string");
    }
    text
}

fn shown(field: &Field, record: &Record<'_>) -> String {
    let Ok(value) = record.value(field) else { return "-".to_owned() };
    let up_to_nul = |bytes: &[u8]| hex(bytes.split(|byte| *byte == 0).next().unwrap_or(bytes));
    match (value, &field.kind) {
        (Value::Int(value), _) => value.to_string(),
        (Value::UInt(value) | Value::Address(value), _) => value.to_string(),
        (Value::Text(bytes), _) => hex(bytes),
        // A text, by what conditions take it for.
        (Value::Bytes(bytes), FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString) => {
            up_to_nul(bytes)
        }
        (Value::Bytes(bytes), _) => hex(bytes),
        (Value::Ints(ints), FieldKind::Array { .. }) => {
            ints.iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
        }
        (Value::Ints(ints), _) => ints.len().to_string(),
        (Value::Cpumask(mask), _) => mask.cpus().map(|cpu| cpu.to_string()).collect::<Vec<_>>().join(","),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "."
}

/// What a field is printed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    Number {
        signed: bool,
    },
    /// A system call's argument, which C has a function for.
    Argument {
        signed: bool,
    },
    Bytes,
    /// Bytes of the fixed part.
    Fixed {
        size: u32,
    },
    Numbers {
        count: u32,
    },
    /// The number of elements of so many bytes.
    Count {
        element: u32,
    },
    Cpus,
}

/// Returns what a field is printed by.
pub(crate) fn printed(field: &Field) -> Printed {
    match field.kind {
        FieldKind::Int if field.is_argument() => {
            Printed::Argument { signed: field.integer().is_some_and(|integer| integer.signed) }
        }
        FieldKind::Int | FieldKind::CharPtr => Printed::Number { signed: field.signed },
        FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString => Printed::Bytes,
        FieldKind::Array { element } => Printed::Numbers { count: field.size / element },
        FieldKind::Opaque => Printed::Fixed { size: field.size },
        FieldKind::DynArray { element } | FieldKind::RelArray { element } => Printed::Count { element },
        FieldKind::DynCpumask | FieldKind::RelCpumask => Printed::Cpus,
    }
}
