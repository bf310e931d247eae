//! What is shown of fields and events, as Markdown.

use std::fmt::Write;

use tracec_kernel::format::print::TableKind;
use tracec_kernel::format::{EventFormat, Field};

/// The names of values that are shown, at most.
const MOST: usize = 40;

/// Returns the type, size, offset, sign and names of values of a field.
pub(crate) fn of_field(format: &EventFormat, field: &Field) -> String {
    let mut out = format!("`{} {}` of `{}`\n\n", field.type_text, field.name, format.qualified_name());
    let bytes = if field.size == 1 { "byte" } else { "bytes" };
    let sign = match field.integer() {
        Some(integer) if integer.signed => ", signed",
        Some(_) => ", unsigned",
        None => "",
    };
    // Writing to a string does not fail.
    _ = write!(out, "{} {bytes} at offset {}{sign}", field.size, field.offset);
    if let Some(integer) = field.integer().filter(|_| field.is_argument()) {
        let sign = if integer.signed { "signed" } else { "unsigned" };
        _ = write!(out, "; the argument is its low {} bytes, {sign}", integer.bytes);
    }
    let tables = format.print().map(|print| print.names(field)).unwrap_or_default();
    for table in tables {
        let kind = if table.kind == TableKind::Flags { "bits" } else { "values" };
        _ = write!(out, "\n\n{kind}:\n");
        for entry in table.entries.iter().take(MOST) {
            _ = write!(out, "\n- `{}` = {:#x}", entry.name, entry.value);
        }
        if table.entries.len() > MOST {
            _ = write!(out, "\n- and {} more", table.entries.len() - MOST);
        }
    }
    out
}

/// Returns the names of a field's values.
pub(crate) fn names(format: &EventFormat, field: &Field) -> Vec<(String, i128)> {
    let tables = format.print().map(|print| print.names(field)).unwrap_or_default();
    tables.into_iter().flat_map(|table| table.entries).map(|entry| (entry.name, entry.value)).collect()
}

/// Returns the fields of an event and the text that it is printed as: its template, if a text defines it.
pub(crate) fn of_event(format: &EventFormat, template: Option<&str>) -> String {
    let mut out = format!("event `{}`\n\n```c\n", format.qualified_name());
    for field in format.own_fields() {
        let declared = match field.type_text.split_once('[') {
            Some((base, length)) => format!("{base} {}[{length}", field.name),
            None => format!("{} {}", field.type_text, field.name),
        };
        _ = writeln!(out, "{declared};\t// offset {}, size {}", field.offset, field.size);
    }
    out.push_str("```");
    let printed = match template {
        Some(template) => Some(("trc", template)),
        // One that a text defines without a template has none before it is in a kernel.
        None => Some(("c", format.print_fmt.as_str())).filter(|(_, text)| !matches!(*text, "" | "\"\"")),
    };
    if let Some((language, text)) = printed {
        _ = write!(out, "\n\nprinted as\n\n```{language}\n{text}\n```");
    }
    out
}
