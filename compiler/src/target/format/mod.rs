//! The `format` file of each tracepoint, as the kernel will show it once a module with that TRACE_EVENT is loaded, except
//! for the ID, which the kernel assigns then.
//!
//! The file has the fields of the record with their places, and the arguments of `TP_printk` as the preprocessor leaves
//! them: `f_show` in kernel/trace/trace_events.c writes it. A reader of records needs nothing else, so that a decoder
//! can be written and tested before there is a kernel with the event.
//!
//! A field is refused if only a C compiler knows its size, and with it the places of all fields behind it.

mod kernel;
mod text;

use super::{Built, DefinitionBuilder, DefinitionRequest, File};
use crate::c::undeclarable;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{EventClass, Length, RecordField, TypeKind};

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
        let signed_char = kernel::has_signed_char(request.kernel)
            .map_err(|error| vec![codes::kernel_unreadable::kernel_unreadable(None, &error.to_string())])?;
        let subsystem = definitions.subsystem.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
        let file = |event| {
            let class = definitions.class_of(event)?;
            let content = text::format(request, event, class, signed_char).into_bytes();
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

/// Returns why the line of a field cannot be foreseen, and what to do about it. A field behind it has no layout either,
/// but nothing to mend.
fn unforeseen(field: &RecordField) -> Option<(String, &'static str)> {
    if let Some(undeclarable) = undeclarable(field) {
        return Some(undeclarable);
    }
    let c = &field.ty.c;
    let of_element = |element: &TypeKind| match element {
        TypeKind::CEnum => Some((
            format!("`{c}`, whose size and sign the C compiler chooses"),
            "record it as `u32` or `int`",
        )),
        _ => None,
    };
    match &field.ty.kind {
        TypeKind::Array { element, length } => of_element(element).or_else(|| match length {
            Length::Macro(name) => Some((
                format!("an array of `{name}` elements, which a header defines"),
                "write the number: a `const` of the same value",
            )),
            Length::Known { .. } => None,
        }),
        TypeKind::Elements { element } => of_element(element),
        kind => of_element(kind),
    }
}

#[cfg(test)]
mod tests;
