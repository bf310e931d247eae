//! The fields of a record in C: their values, and where their bytes are.

use tracec_kernel::tables::field_macros::Storage;

use super::{Record, Scope};
use crate::ir::definition::{RecordField, TypeKind};

/// The elements of a field: where the first is, and how many there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Elements {
    /// The address of the first.
    pub(super) address: String,
    /// Their number, an expression that is an operand of `*` and `/`.
    pub(super) count: String,
}

/// Returns a type's name as a `format` file quotes it. `__user` is a macro without a value, and `sockaddr_storage` one of
/// include/linux/socket.h.
pub(crate) fn preprocessed(c: &str) -> String {
    let c = c.replace("__user ", "");
    let words: Vec<&str> = c
        .split(' ')
        .map(|word| if word == "sockaddr_storage" { "__kernel_sockaddr_storage" } else { word })
        .collect();
    words.join(" ")
}

/// Returns whether a field has more bytes than the integer in it.
fn is_register(field: &RecordField, kind: &TypeKind) -> bool {
    let recorded = field.layout.map(|layout| (layout.size, layout.signed));
    let integer = kind.integer().map(|integer| (integer.bytes, integer.signed));
    integer.is_some() && recorded.is_some() && integer != recorded
}

impl Scope<'_> {
    /// Returns the value of a field of the record.
    pub(super) fn field(self, field: &RecordField) -> String {
        let name = &field.name.value;
        match (field.declared.get, &field.ty.kind) {
            (Some(get), TypeKind::Elements { .. }) => {
                format!("(({} *){get}({name}))", self.type_name(&field.ty.c))
            }
            (Some(get), _) => format!("{get}({name})"),
            // The argument of a system call is recorded as the whole register (kernel/trace/trace_syscalls.c).
            (None, kind) if is_register(field, kind) => {
                format!("(({}){})", self.type_name(&field.ty.c), self.member(name))
            }
            (None, _) => self.member(name),
        }
    }

    /// Returns a type's name.
    pub(super) fn type_name(self, c: &str) -> String {
        match self.record {
            Record::Entry { .. } => c.to_owned(),
            Record::Format => preprocessed(c),
        }
    }

    /// Returns the address of the bytes of a field.
    pub(super) fn address(self, field: &RecordField) -> String {
        let name = &field.name.value;
        match (field.declared.storage, &field.ty.kind) {
            (Storage::DataLoc, _) => format!("__get_dynamic_array({name})"),
            (Storage::RelLoc, _) => format!("__get_rel_dynamic_array({name})"),
            (Storage::Inline, TypeKind::Array { .. }) => self.member(name),
            (Storage::Inline, _) => format!("&{}", self.member(name)),
        }
    }

    /// Returns the elements of a field of this size each, which it is an array of.
    pub(super) fn elements(self, field: &RecordField, size: u32) -> Elements {
        let name = &field.name.value;
        let bytes = match field.declared.storage {
            Storage::DataLoc => Some(format!("__get_dynamic_array_len({name})")),
            Storage::RelLoc => Some(format!("__get_rel_dynamic_array_len({name})")),
            Storage::Inline => None,
        };
        let count = match (bytes, &field.ty.kind) {
            (Some(bytes), _) if size == 1 => bytes,
            (Some(bytes), _) => format!("{bytes} / {size}"),
            (None, TypeKind::Array { length, .. }) => {
                length.count().map_or_else(|| length.c(), |count| count.to_string())
            }
            (None, _) => "1".to_owned(),
        };
        Elements { address: self.address(field), count }
    }

    /// Returns the member of the record's struct.
    fn member(self, name: &str) -> String {
        match self.record {
            Record::Entry { .. } => format!("__entry->{name}"),
            Record::Format => format!("REC->{name}"),
        }
    }
}
