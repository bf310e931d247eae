//! The text of a `format` file: `f_show` in kernel/trace/trace_events.c.

use std::fmt::Write;

use tracec_kernel::tables::field_macros::Storage;
use tracec_kernel::tables::header_fields;

use super::super::DefinitionRequest;
use crate::c::{Record, Scope, preprocessed, printed};
use crate::ir::definition::{EventClass, EventDef, FieldLayout, RecordField};

/// Returns the file of an event. Its ID is 0, which an event of a kernel never has.
pub(super) fn format(request: &DefinitionRequest<'_>, event: &EventDef, class: &EventClass) -> String {
    let mut text = format!("name: {}\nID: 0\nformat:\n", event.name.value);
    head(&mut text);
    text.push('\n');
    for field in &class.fields {
        if let Some(layout) = field.layout {
            line(&mut text, &declaration(field), layout);
        }
    }
    text.push_str(&print(request, event, class));
    text
}

/// Writes the fields that begin every record.
fn head(text: &mut String) {
    let mut offset = 0;
    for field in header_fields::COMMON {
        let layout = FieldLayout { offset, size: field.size, signed: field.signed };
        line(text, &format!("{} {}", field.type_text, field.name), layout);
        offset += field.size;
    }
}

fn line(text: &mut String, declaration: &str, at: FieldLayout) {
    let FieldLayout { offset, size, signed } = at;
    let signed = u8::from(signed);
    // Writing into a string does not fail.
    let _ = writeln!(text, "\tfield:{declaration};\toffset:{offset};\tsize:{size};\tsigned:{signed};");
}

/// Returns type and name. The brackets of an array stand behind the name, except for those of `__data_loc`.
fn declaration(field: &RecordField) -> String {
    let name = &field.name.value;
    let shown = preprocessed(&field.shown);
    match shown.split_once('[') {
        Some((element, length)) if field.declared.storage != Storage::DataLoc => {
            format!("{element} {name}[{length}")
        }
        _ => format!("{shown} {name}"),
    }
}

/// Returns the last line: the arguments of `TP_printk`.
fn print(request: &DefinitionRequest<'_>, event: &EventDef, class: &EventClass) -> String {
    let scope = Scope {
        exprs: &request.definitions.exprs,
        constants: request.constants,
        record: Record::Format,
        fields: &class.fields,
        arguments: &[],
    };
    format!("\nprint fmt: {}\n", printed(scope, event.print.as_ref().unwrap_or(&class.print)).print_fmt())
}
