//! The names of values in Rust.

use std::fmt::Write;

use tracec_kernel::format::IntegerType;

use super::line;
use super::literal::text as literal;
use super::names::word;
use crate::decoder::{Identifiers, Table, identifier};

/// Writes the type of a table, with its constants and the function that returns a name.
pub(super) fn write(text: &mut String, table: &Table, name: &str) {
    let ty = integer(table.carrier);
    // Writing into a string does not fail.
    let _ = write!(
        text,
        "\n/// Values of `{}`.\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub struct {name}(pub {ty});\n\n\
         impl {name} {{\n",
        line(&table.name)
    );
    let mut taken = Identifiers::default();
    for method in ["name", "take_name"] {
        taken.take(method.to_owned());
    }
    for entry in &table.entries {
        if let Some(constant) = &entry.constant {
            let constant = taken.take(word(identifier(constant)));
            let _ = writeln!(text, "    pub const {constant}: {name} = {name}({});", entry.value);
        }
    }
    if table.entries.iter().any(|entry| entry.constant.is_some()) {
        text.push('\n');
    }
    if table.flags {
        flags(text, table)
    } else {
        symbols(text, table)
    }
    text.push_str("}\n");
}

fn symbols(text: &mut String, table: &Table) {
    text.push_str(
        "    /// Returns the name of the value.\n    \
         pub fn name(self) -> Option<&'static str> {\n        Some(match self.0 {\n",
    );
    for entry in table.named() {
        let _ = writeln!(text, "            {} => {},", entry.value, literal(&entry.label));
    }
    text.push_str("            _ => return None,\n        })\n    }\n");
}

fn flags(text: &mut String, table: &Table) {
    text.push_str(
        "    /// Clears the first flag that is set, and returns its name; `None` if none of those that are left has \
         one.\n    pub fn take_name(&mut self) -> Option<&'static str> {\n",
    );
    for entry in table.named() {
        let (value, label) = (entry.value, literal(&entry.label));
        let _ = write!(
            text,
            "        if self.0 & {value} == {value} {{\n            self.0 &= !{value};\n            \
             return Some({label});\n        }}\n"
        );
    }
    text.push_str("        None\n    }\n");
}

/// Returns the name of an integer type.
pub(super) fn integer(ty: IntegerType) -> &'static str {
    match (ty.bytes, ty.signed) {
        (1, true) => "i8",
        (1, false) => "u8",
        (2, true) => "i16",
        (2, false) => "u16",
        (4, true) => "i32",
        (4, false) => "u32",
        (_, true) => "i64",
        (_, false) => "u64",
    }
}
