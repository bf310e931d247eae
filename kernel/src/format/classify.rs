//! From a field's type text to the kind of its data.

use crate::format::FieldKind;
use crate::tables::c_types;

/// Classifies as the kernel's filter does (`filter_assign_type`, kernel/trace/trace_events_filter.c): by words in the
/// type text, in this order. Fields that the filter calls "other" are further classified by size.
pub(super) fn classify(type_text: &str, size: u32) -> FieldKind {
    let char = type_text.contains("char");
    let cpumask = type_text.contains("cpumask_t");
    if let Some(base) = type_text.strip_prefix("__data_loc ") {
        return match location_words(base, size) {
            1 if char => FieldKind::DynString,
            1 if cpumask => FieldKind::DynCpumask,
            1 => FieldKind::DynArray { element: dynamic_element(base) },
            _ => FieldKind::Opaque,
        };
    }
    if let Some(base) = type_text.strip_prefix("__rel_loc ") {
        return match location_words(base, size) {
            1 if char => FieldKind::RelString,
            1 if cpumask => FieldKind::RelCpumask,
            1 => FieldKind::RelArray { element: dynamic_element(base) },
            _ => FieldKind::Opaque,
        };
    }
    if let Some((base, count)) = type_text.split_once('[') {
        return if char { FieldKind::CharArray } else { static_array(base, count, size) };
    }
    match type_text {
        "char *" | "const char *" => FieldKind::CharPtr,
        _ if is_aggregate(type_text) => FieldKind::Opaque,
        _ if matches!(size, 1 | 2 | 4 | 8) => FieldKind::Int,
        _ => FieldKind::Opaque,
    }
}

/// Returns the number of location words of a dynamic field. An array of strings of a probe event (`string[3]`, here
/// `char[][3]`) has several. A synthetic event has one, in eight bytes, the word first (`trace_event_raw_event_synth`
/// in kernel/trace/trace_events_synth.c).
fn location_words(base: &str, size: u32) -> u32 {
    match size {
        4 => 1,
        8 if !base.contains("][") => 1,
        _ => size / 4,
    }
}

/// Classifies `base[count]`. Probe events leave the count out (`u8 arg4[]` of size 4), and so does an array at the end
/// of a record.
fn static_array(base: &str, count: &str, size: u32) -> FieldKind {
    let count: Option<u32> = count.strip_suffix(']').and_then(|count| count.parse().ok());
    let element = match count {
        Some(count) if count > 0 && size.is_multiple_of(count) => size / count,
        _ if base.contains('*') => 8,
        _ => c_types::find(base).map_or(1, |c| c.size),
    };
    if matches!(element, 1 | 2 | 4 | 8) && !is_aggregate(base) {
        FieldKind::Array { element }
    } else {
        FieldKind::Opaque
    }
}

/// Returns the size of an element of `T[]`; an unknown type is read as bytes.
fn dynamic_element(base: &str) -> u32 {
    let base = base.split('[').next().unwrap_or(base);
    if base.contains('*') { 8 } else { c_types::find(base).map_or(1, |c| c.size) }
}

fn is_aggregate(type_text: &str) -> bool {
    !type_text.contains('*') && type_text.split_whitespace().any(|word| matches!(word, "struct" | "union"))
}

#[cfg(test)]
mod tests {
    use super::classify;
    use crate::format::FieldKind;

    #[test]
    fn types_are_told_apart_as_the_filter_does() {
        use FieldKind::*;
        for (type_text, size, kind) in [
            ("int", 4, Int),
            ("unsigned long long", 8, Int),
            ("enum xfs_group_type", 1, Int),
            ("void *", 8, Int),
            ("struct file *", 8, Int),
            ("const char *const *", 8, Int),
            ("char", 1, Int),
            ("char *", 8, CharPtr),
            ("const char *", 8, CharPtr),
            ("char[16]", 16, CharArray),
            ("unsigned char[6]", 6, CharArray),
            ("char[]", 0, CharArray),
            ("u8[6]", 6, Array { element: 1 }),
            ("unsigned long[6]", 48, Array { element: 8 }),
            ("unsigned long[]", 0, Array { element: 8 }),
            ("u16[]", 8, Array { element: 2 }),
            ("void *[2]", 16, Array { element: 8 }),
            ("struct in6_addr[2]", 32, Opaque),
            ("u8[7]", 16, Array { element: 1 }),
            ("__data_loc char[]", 4, DynString),
            ("__data_loc unsigned char[]", 4, DynString),
            ("__data_loc char[][3]", 12, Opaque),
            ("__data_loc char[][2]", 8, Opaque),
            ("__data_loc char[]", 8, DynString),
            ("__data_loc unsigned long[]", 8, DynArray { element: 8 }),
            ("__data_loc char[]", 2, Opaque),
            ("__data_loc u64[]", 4, DynArray { element: 8 }),
            ("__data_loc unsigned int[]", 4, DynArray { element: 4 }),
            ("__data_loc some_t[]", 4, DynArray { element: 1 }),
            ("__data_loc cpumask_t", 4, DynCpumask),
            ("__rel_loc char[]", 4, RelString),
            ("__rel_loc u16[]", 4, RelArray { element: 2 }),
            ("__rel_loc cpumask_t", 4, RelCpumask),
            ("struct timespec64", 16, Opaque),
            ("struct small", 8, Opaque),
            ("__int128", 16, Opaque),
        ] {
            assert_eq!(classify(type_text, size), kind, "{type_text}");
        }
    }
}
