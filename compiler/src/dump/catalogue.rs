//! The layouts of events.

use tracec_kernel::format::{EventFormat, Field};

use super::lines::Lines;
use crate::ir::{Catalogue, EventId, EventLayout};

/// Returns the id and the name of an event.
pub(super) fn event(catalogue: &Catalogue, id: EventId) -> String {
    format!("{id:?} {:?}", catalogue[id].qualified_name())
}

/// Prints the layouts of events.
pub(super) fn catalogue(lines: &mut Lines<'_>, catalogue: &Catalogue) {
    for (id, layout) in catalogue.iter() {
        let EventLayout { format, text } = &**layout;
        let EventFormat { system, name, id: number, fields, common, print_fmt } = format;
        lines.block(format!("event {id:?} {system:?} {name:?}"), |lines| {
            lines.field("number", number);
            lines.field("common", common);
            for Field { name, type_text, kind, offset, size, signed } in &**fields {
                let sign = if *signed { "signed" } else { "unsigned" };
                lines.line(format!("field {name:?} {type_text:?}: {kind:?} {sign}, {size} at {offset}"));
            }
            lines.field("print", print_fmt);
            lines.text(text);
        });
    }
}
