//! The positions of fields in a record, as the `format` file will list them.
//!
//! A tracepoint's record is a struct of C behind the common header: each field at a multiple of its alignment. A
//! probe's record is packed (`traceprobe_define_arg_fields` in kernel/trace/trace_probe.c).

use tracec_kernel::tables::field_macros::{LOCATION_BYTES, Storage};
use tracec_kernel::tables::limits::COMMON_HEADER_BYTES;

use crate::ir::definition::{CType, FieldLayout, RecordField, TypeKind};

use super::context::Context;

/// The alignment of `struct trace_entry`: that of its `int pid`.
const HEADER_ALIGN: u32 = 4;

/// Lays out fields in their order, and returns the size of the struct, if all sizes are known.
pub(super) fn lay_out(fields: &mut [RecordField], context: &mut Context<'_, '_>) -> Option<u32> {
    let mut end = Some(COMMON_HEADER_BYTES);
    let mut widest = HEADER_ALIGN;
    for field in fields {
        let layout = match field.declared.storage {
            Storage::Inline => field.ty.kind.layout(),
            Storage::DataLoc | Storage::RelLoc => Some((LOCATION_BYTES, LOCATION_BYTES)),
        };
        let placed = end.zip(layout).and_then(|(end, (size, align))| {
            widest = widest.max(align);
            let offset = end.checked_next_multiple_of(align)?;
            Some((offset, size, offset.checked_add(size)?))
        });
        let signed = match field.ty.kind {
            // The kernel shows the sign of `char` for a string too.
            TypeKind::Text { .. } => Some(context.has_signed_char()),
            ref kind => kind.is_signed(),
        };
        field.layout =
            placed.zip(signed).map(|((offset, size, _), signed)| FieldLayout { offset, size, signed });
        end = placed.map(|(_, _, end)| end);
    }
    end.and_then(|end| end.checked_next_multiple_of(widest))
}

/// Returns the type text of a field's line in the `format` file.
pub(super) fn shown(ty: &CType, storage: Storage) -> String {
    let element = match &ty.kind {
        TypeKind::Array { length, .. } => {
            return format!(
                "{}[{}]",
                ty.c,
                length.count().map_or_else(|| length.c(), |count| count.to_string())
            );
        }
        TypeKind::Cpumask => "cpumask_t".to_owned(),
        TypeKind::Text { .. } => "char[]".to_owned(),
        TypeKind::Elements { .. } | TypeKind::Bitmask | TypeKind::SocketAddress => format!("{}[]", ty.c),
        _ => ty.c.clone(),
    };
    match storage {
        Storage::Inline => element,
        Storage::DataLoc => format!("__data_loc {element}"),
        Storage::RelLoc => format!("__rel_loc {element}"),
    }
}
