//! The names of values in C.

use std::fmt::Write;

use tracec_kernel::format::IntegerType;

use super::names::Names;
use crate::c::bytes;
use crate::decoder::Table;

/// Writes the constants of a table, and the function that returns the name of a value.
pub(super) fn write(text: &mut String, table: &Table, name: &str, names: &mut Names) {
    let ty = stdint(table.carrier);
    text.push('\n');
    for entry in &table.entries {
        if let Some(constant) = &entry.constant {
            let constant = names.take_macro(&format!("{name}_{constant}"));
            let value = constant_of(table.carrier, entry.value);
            // Writing into a string does not fail.
            let _ = writeln!(text, "#define {constant} (({ty}){value})");
        }
    }
    if table.entries.iter().any(|entry| entry.constant.is_some()) {
        text.push('\n');
    }
    match table.flags {
        true => flags(text, table, ty, &names.take(&format!("{name}_next"))),
        false => symbols(text, table, ty, &names.take(&format!("{name}_name"))),
    }
}

fn symbols(text: &mut String, table: &Table, ty: &str, function: &str) {
    let _ = write!(
        text,
        "/* The name of a value; NULL for one without a name. */\n\
         static inline const char *{function}({ty} value)\n{{\n\tswitch (value) {{\n"
    );
    for entry in table.named() {
        let (value, label) = (constant_of(table.carrier, entry.value), bytes(entry.label.as_bytes()));
        let _ = write!(text, "\tcase {value}:\n\t\treturn {label};\n");
    }
    text.push_str("\tdefault:\n\t\treturn NULL;\n\t}\n}\n");
}

fn flags(text: &mut String, table: &Table, ty: &str, function: &str) {
    let _ = write!(
        text,
        "/* The name of the first flag that is set, which is cleared; NULL if none of those that are left has one. */\n\
         static inline const char *{function}({ty} *value)\n{{\n"
    );
    for entry in table.named() {
        let (value, label) = (constant_of(table.carrier, entry.value), bytes(entry.label.as_bytes()));
        let _ = write!(
            text,
            "\tif ((*value & ({ty}){value}) == ({ty}){value}) {{\n\
             \t\t*value = ({ty})(*value & ~({ty}){value});\n\t\treturn {label};\n\t}}\n"
        );
    }
    if table.named().is_empty() {
        text.push_str("\t(void)value;\n");
    }
    text.push_str("\treturn NULL;\n}\n");
}

/// Returns a type of <stdint.h>.
pub(super) fn stdint(ty: IntegerType) -> &'static str {
    match (ty.bytes, ty.signed) {
        (1, true) => "int8_t",
        (1, false) => "uint8_t",
        (2, true) => "int16_t",
        (2, false) => "uint16_t",
        (4, true) => "int32_t",
        (4, false) => "uint32_t",
        (_, true) => "int64_t",
        (_, false) => "uint64_t",
    }
}

/// Returns a number of a type as a constant.
pub(super) fn constant_of(ty: IntegerType, value: i128) -> String {
    match (ty.signed, ty.bytes) {
        (true, 8) if value == i128::from(i64::MIN) => "INT64_MIN".to_owned(),
        (true, 4) if value == i128::from(i32::MIN) => "INT32_MIN".to_owned(),
        (true, 8) => format!("INT64_C({value})"),
        (true, _) => value.to_string(),
        (false, 8) => format!("UINT64_C({value})"),
        (false, _) => format!("{value}U"),
    }
}
