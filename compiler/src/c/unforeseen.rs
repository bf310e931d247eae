//! Fields whose place in a record only a C compiler knows.

use super::undeclarable::undeclarable;
use crate::ir::definition::{Length, RecordField, TypeKind};

/// Returns why the place of a field in its record cannot be foreseen, as the rest of a sentence, and what to do about it.
/// A field behind it has no layout either, but nothing to mend.
pub(crate) fn unforeseen(field: &RecordField) -> Option<(String, &'static str)> {
    if let Some(undeclarable) = undeclarable(field) {
        return Some(undeclarable);
    }
    let c = &field.ty.c;
    let of_element = |element: &TypeKind| match element {
        TypeKind::CEnum => Some((
            format!("`{c}`, whose size and sign the C compiler chooses"),
            "record it as `u32` or `int`",
        )),
        TypeKind::Aggregate(aggregate) if aggregate.known.is_none() => Some((
            format!("`{c}`, whose size a header decides"),
            "record the pointer, or the members that you need",
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
