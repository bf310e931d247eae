//! The type of a record, and the methods that read its fields.

use std::fmt::Write;

use tracec_kernel::format::{Field, FieldKind, IntegerType};

use super::names::word;
use super::table::integer;
use super::{filter, line};
use crate::decoder::{Filter, Identifiers, Member, Record, Table, identifier};

/// Writes a record under this name, with the conditions of the sessions that record it.
pub(super) fn write<'f>(
    text: &mut String,
    (record, name): (&Record<'_>, &str),
    tables: &[Table],
    types: &[String],
    filters: impl Iterator<Item = &'f Filter<'f>>,
) {
    let event = line(&record.format.qualified_name());
    // Writing into a string does not fail.
    let _ = write!(
        text,
        "\n/// A record of `{event}`.\n#[derive(Clone, Copy, Debug)]\npub struct {name}<'a> {{\n    \
         data: &'a [u8],\n}}\n\n"
    );
    assertions(text, record, name);
    let _ = write!(
        text,
        "impl<'a> {name}<'a> {{\n    /// The bytes that every record has.\n    pub const SIZE: usize = {};\n\n    \
         /// Returns the record in these bytes; `None` if they are too few. Whether they are one of this event is said \
         by\n    /// `common_type`: the number in events/{}/{}/id.\n    \
         pub fn new(data: &'a [u8]) -> Option<Self> {{\n        \
         if data.len() < Self::SIZE {{ None }} else {{ Some(Self {{ data }}) }}\n    }}\n\n    \
         /// Returns the bytes of the record.\n    pub fn data(&self) -> &'a [u8] {{\n        self.data\n    }}\n",
        record.size,
        line(&record.format.system),
        line(&record.format.name)
    );
    let mut taken = Identifiers::default();
    for method in ["SIZE", "new", "data"] {
        taken.take(method.to_owned());
    }
    for member in &record.members {
        let named = member.table.map(|index| (&tables[index], types[index].as_str()));
        reader(text, *member, named, &mut taken);
    }
    let mut tests = String::new();
    for filter in filters {
        filter::write(text, &mut tests, filter, name, &mut taken);
    }
    text.push_str("}\n");
    text.push_str(&tests);
}

/// Writes that each field ends where the next one begins, or before.
fn assertions(text: &mut String, record: &Record<'_>, name: &str) {
    for (index, Member { field, .. }) in record.members.iter().enumerate().filter(|(_, of)| !of.is_rest()) {
        let next = match record.members.get(index + 1) {
            Some(next) => next.field.offset.to_string(),
            None => format!("{name}::SIZE"),
        };
        let ty = in_record(field);
        let _ = writeln!(
            text,
            "const _: () = assert!({} + core::mem::size_of::<{ty}>() <= {next});",
            field.offset
        );
    }
    text.push('\n');
}

/// Returns the type of a field's bytes in the record.
fn in_record(field: &Field) -> String {
    match field.kind {
        FieldKind::Int | FieldKind::CharPtr => own(field).to_owned(),
        FieldKind::Array { element } if field.size.is_multiple_of(element.max(1)) => {
            let element = IntegerType { bytes: element, signed: field.signed };
            format!("[{}; {}]", integer(element), field.size / element.bytes.max(1))
        }
        FieldKind::Array { .. } | FieldKind::CharArray | FieldKind::Opaque => format!("[u8; {}]", field.size),
        FieldKind::DynString
        | FieldKind::RelString
        | FieldKind::DynArray { .. }
        | FieldKind::RelArray { .. }
        | FieldKind::DynCpumask
        | FieldKind::RelCpumask => "u32".to_owned(),
    }
}

fn own(field: &Field) -> &'static str {
    integer(IntegerType { bytes: field.size, signed: field.signed })
}

/// Writes the method that returns a field.
fn reader(text: &mut String, member: Member<'_>, table: Option<(&Table, &str)>, taken: &mut Identifiers) {
    let Member { field, .. } = member;
    let (offset, size) = (field.offset, field.size);
    let method = taken.take(word(identifier(&field.name)));
    let about = format!("`{}`", line(&format!("{} {}", field.type_text, field.name)));
    let mut write = |about: &str, ty: &str, value: &str| {
        let _ = write!(
            text,
            "\n    /// Returns {about}.\n    pub fn {method}(&self) -> {ty} {{\n        {value}\n    }}\n"
        );
    };
    let found = |relative: bool| format!("located(self.data, {offset}, {relative})");
    let outside = "`None` where it lies outside of the record";
    match field.kind {
        FieldKind::Int | FieldKind::CharPtr => {
            let read = format!("{}::from_ne_bytes(at(self.data, {offset}))", own(field));
            let means = field.integer().filter(|_| field.is_argument());
            let (ty, value) = match means {
                // An argument of a system call, which is recorded as a whole register.
                Some(means) => (integer(means), format!("{read} as {}", integer(means))),
                None => (own(field), read),
            };
            match table.filter(|(table, _)| integer(table.carrier) == ty) {
                Some((_, name)) => write(&about, name, &format!("{name}({value})")),
                None => write(&about, ty, &value),
            }
        }
        FieldKind::CharArray => {
            let value = format!("until_nul(fixed(self.data, {offset}, {size}).unwrap_or_default())");
            write(&format!("the text of {about} up to its NUL"), "&'a [u8]", &value);
        }
        FieldKind::Array { element } if size > 0 && size.is_multiple_of(element.max(1)) => {
            let of = integer(IntegerType { bytes: element, signed: field.signed });
            let value = format!(
                "core::array::from_fn(|index| {of}::from_ne_bytes(at(self.data, {offset} + {element} * index)))"
            );
            write(&about, &in_record(field), &value);
        }
        FieldKind::Array { .. } | FieldKind::Opaque => {
            let value = format!("fixed(self.data, {offset}, {size}).unwrap_or_default()");
            write(&format!("the bytes of {about}"), "&'a [u8]", &value);
        }
        FieldKind::DynString | FieldKind::RelString => {
            let value = format!("{}.map(until_nul)", found(field.kind.is_relative()));
            write(&format!("the text of {about} up to its NUL; {outside}"), "Option<&'a [u8]>", &value);
        }
        FieldKind::DynArray { .. } | FieldKind::RelArray { .. } => {
            let value = found(field.kind.is_relative());
            write(&format!("the bytes of {about}; {outside}"), "Option<&'a [u8]>", &value);
        }
        FieldKind::DynCpumask | FieldKind::RelCpumask => {
            let value = format!("{}.map(members)", found(field.kind.is_relative()));
            let ty = "Option<impl Iterator<Item = u64> + 'a>";
            write(&format!("the CPUs of {about}; {outside}"), ty, &value);
        }
    }
}
