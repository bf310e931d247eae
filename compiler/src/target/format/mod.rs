//! The `format` file of each tracepoint, as the kernel will show it once a module with that TRACE_EVENT is loaded, except
//! for the ID, which the kernel assigns then.
//!
//! The file has the fields of the record with their places, and the arguments of `TP_printk` as the preprocessor leaves
//! them: `f_show` in kernel/trace/trace_events.c writes it. A reader of records needs nothing else, so that a decoder
//! can be written and tested before there is a kernel with the event.
//!
//! A field is refused if only a C compiler knows its size, and with it the places of all fields behind it.

mod text;

use super::{Built, DefinitionBuilder, DefinitionRequest, File};
use crate::c::unforeseen;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::EventClass;

/// The target `format`. See the [module](self).
pub(super) struct Format;

impl DefinitionBuilder for Format {
    const NAME: &'static str = "format";

    const ABOUT: &'static str =
        "the `format` file of each tracepoint that the text defines, except for its ID";

    fn build(request: &DefinitionRequest<'_>) -> Built {
        let definitions = request.definitions;
        let refusals: Vec<Diagnostic> = definitions.classes.iter().flat_map(refusals).collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
        let file = |event| {
            let class = definitions.class_of(event)?;
            let content = text::format(request, event, class).into_bytes();
            Some(File {
                name: format!("{subsystem}.{}.format", event.name.value),
                content,
                executable: false,
            })
        };
        Ok(definitions.events.iter().filter_map(file).collect())
    }
}

/// Returns a refusal of each field that a `format` file cannot have, or whose line cannot be foreseen.
fn refusals(class: &EventClass) -> impl Iterator<Item = Diagnostic> {
    class.fields.iter().filter_map(|field| {
        let (what, instead) = unforeseen(field)?;
        Some(codes::not_by_target::not_by_target(field.ty.span, &what, Format::NAME, instead))
    })
}

#[cfg(test)]
mod tests;
