//! The records that a kernel writes: a program trusts them.

use tracec_kernel::format::{EventFormat, FieldKind};

/// Returns whether a kernel could have written a record: it has all fields, and locations lead into it.
pub(crate) fn is_written(format: &EventFormat, bytes: &[u8]) -> bool {
    let ends = format.fields.iter().map(|field| (field.offset + field.size) as usize);
    ends.max().unwrap_or(0) <= bytes.len()
        && format.fields.iter().all(|field| {
            let begin = match field.kind {
                FieldKind::DynString | FieldKind::DynArray { .. } | FieldKind::DynCpumask => 0,
                FieldKind::RelString | FieldKind::RelArray { .. } | FieldKind::RelCpumask => {
                    (field.offset + field.size) as usize
                }
                _ => return true,
            };
            let at = field.offset as usize;
            let word = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            begin + (word & 0xffff) as usize + (word >> 16) as usize <= bytes.len()
        })
}
