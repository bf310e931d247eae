//! Fields that no macro of `TP_STRUCT__entry` can declare.

use crate::ir::definition::{RecordField, TypeKind};

/// Returns why no macro can declare a field, as the rest of a sentence, and what to do about it.
pub(crate) fn undeclarable(field: &RecordField) -> Option<(String, &'static str)> {
    let (TypeKind::Array { element, .. } | TypeKind::Elements { element }) = &field.ty.kind else {
        return None;
    };
    // The macro of an array asks whether its elements are signed (`is_signed_type` in include/linux/trace_events.h),
    // which a struct is not able to answer.
    let TypeKind::Aggregate(_) = **element else { return None };
    Some((
        format!("an array of `{}`, which TRACE_EVENT cannot declare", field.ty.c),
        "record its bytes: `u8[N]`",
    ))
}
