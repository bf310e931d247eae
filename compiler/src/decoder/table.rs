//! Names of values.

use tracec_kernel::format::print::{NameTable, TableKind};
use tracec_kernel::format::{Field, IntegerType};

use crate::ir::definition::EnumType;

/// The names of values, or of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    /// Its name: that of the enumeration, or those of the event and its field.
    pub(crate) name: String,
    /// The type of the values.
    pub(crate) carrier: IntegerType,
    /// Whether an entry names bits, all of which have to be set.
    pub(crate) flags: bool,
    /// The entries. Of several with one value the first names it.
    pub(crate) entries: Vec<Entry>,
}

/// A value and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The name of the constant; `None` where an event shows the value by a name and no declaration has it.
    pub(crate) constant: Option<String>,
    /// The value, of the table's type.
    pub(crate) value: i128,
    /// The text that is shown for it.
    pub(crate) label: String,
}

impl Table {
    /// Returns the table of an `enum` or `flags`.
    pub(crate) fn declared(ty: &EnumType) -> Table {
        let entry = |member: &crate::ir::definition::EnumMember| Entry {
            constant: Some(member.name.clone()),
            value: member.value,
            label: member.label().to_owned(),
        };
        let entries = ty.members().iter().map(entry).collect();
        Table { name: ty.name.clone(), carrier: ty.carrier, flags: ty.flags, entries }
    }

    /// Returns the table by which an event shows a field; `None` if it names nothing.
    pub(crate) fn shown(event: &str, field: &Field, table: NameTable) -> Option<Table> {
        let carrier = field.integer().filter(|_| !table.entries.is_empty())?;
        let entries = table.entries.into_iter();
        Some(Table {
            name: format!("{event}_{}", field.name),
            carrier,
            flags: table.kind == TableKind::Flags,
            entries: entries
                .map(|entry| Entry { constant: None, value: entry.value, label: entry.name })
                .collect(),
        })
    }

    /// Returns the entries that can name something: the first of each value, and none without a bit among flags.
    pub(crate) fn named(&self) -> Vec<&Entry> {
        let mut named: Vec<&Entry> = Vec::new();
        for entry in &self.entries {
            let is_seen = named.iter().any(|known| known.value == entry.value);
            let has_no_bit = self.flags && entry.value == 0;
            if !is_seen && !has_no_bit {
                named.push(entry);
            }
        }
        named
    }
}
