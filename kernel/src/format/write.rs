//! The text of a layout, for whoever reads layouts as text.

use std::fmt::{self, Write};

use crate::format::{EventFormat, Field};

/// Writes a text that [`EventFormat::parse`] reads as the same layout. It is not always the kernel's own: the part of an
/// array stands before the name of its field.
pub(super) fn event(format: &EventFormat) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(format, &mut text);
    text
}

fn write(format: &EventFormat, text: &mut String) -> fmt::Result {
    let EventFormat { name, id, print_fmt, .. } = format;
    writeln!(text, "name: {name}\nID: {id}\nformat:")?;
    fields(format.common_fields(), text)?;
    writeln!(text)?;
    fields(format.own_fields(), text)?;
    writeln!(text, "\nprint fmt: {print_fmt}")
}

fn fields(fields: &[Field], text: &mut String) -> fmt::Result {
    fields.iter().try_for_each(|Field { name, type_text, offset, size, signed, .. }| {
        let signed = u8::from(*signed);
        writeln!(text, "\tfield:{type_text} {name};\toffset:{offset};\tsize:{size};\tsigned:{signed};")
    })
}
