//! Lookup and classification of a filter's field: `trace_find_event_field` and the tables of fields in
//! kernel/trace/trace_events.c, `filter_assign_type` in kernel/trace/trace_events_filter.c.

use tracec_kernel::filter::Model;
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::tables::generic_fields::{self, Meaning};

/// A field as the filter sees it: `struct ftrace_event_field`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilterField {
    pub(super) kind: Kind,
    pub(super) offset: usize,
    /// Size in bytes; 0 for a field that is not in the record.
    pub(super) size: usize,
    pub(super) signed: bool,
}

/// `filter_type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `FILTER_OTHER`: compared with numbers.
    Other,
    /// `FILTER_STATIC_STRING`
    StaticString,
    /// `FILTER_DYN_STRING`
    DynString,
    /// `FILTER_RDYN_STRING`
    RelString,
    /// `FILTER_PTR_STRING`
    Pointer,
    /// `FILTER_CPUMASK`; in a comparison with numbers its location word.
    CpuMask,
    /// `FILTER_CPU`
    Cpu,
    /// `FILTER_COMM`
    Comm,
    /// `FILTER_STACKTRACE`
    Stacktrace,
}

impl Kind {
    /// Returns the result of `is_string_field` (kernel/trace/trace.h).
    pub(super) fn is_string(self) -> bool {
        matches!(self, Kind::StaticString | Kind::DynString | Kind::RelString | Kind::Pointer | Kind::Comm)
    }

    /// Classifies as `filter_assign_type`: by words in the text of the type, in this order.
    fn of(type_text: &str) -> Kind {
        let char = type_text.contains("char");
        if type_text.contains("__data_loc") && char {
            Kind::DynString
        } else if type_text.contains("__data_loc") && type_text.contains("cpumask_t") {
            Kind::CpuMask
        } else if type_text.contains("__rel_loc") && char {
            Kind::RelString
        } else if type_text.contains('[') && char {
            Kind::StaticString
        } else if matches!(type_text, "char *" | "const char *") {
            Kind::Pointer
        } else {
            Kind::Other
        }
    }
}

/// Returns the field with this name: the event's own, of two the one defined last; a generic one; a common one.
pub(super) fn find(event: &EventFormat, model: &Model, name: &[u8]) -> Option<FilterField> {
    let (common, own) = event.fields.split_at(event.common.min(event.fields.len()));
    let named = |fields: &[Field]| {
        fields.iter().rev().find(|field| field.name.as_bytes() == name).map(FilterField::of)
    };
    named(own).or_else(|| generic(model, name)).or_else(|| named(common))
}

/// Returns the field of `trace_define_generic_fields`, without those that only hist triggers know.
fn generic(model: &Model, name: &[u8]) -> Option<FilterField> {
    let field = generic_fields::ALL.iter().find(|field| field.in_filter && field.name.as_bytes() == name)?;
    // The sign is that of the C type it is defined with, `int` or `char *`.
    let (kind, signed) = match field.meaning {
        Meaning::Cpu => (Kind::Cpu, true),
        Meaning::Comm => (Kind::Comm, false),
        Meaning::Stacktrace if model.stacktrace => (Kind::Stacktrace, false),
        Meaning::Stacktrace => return None,
    };
    Some(FilterField { kind, offset: 0, size: 0, signed })
}

impl FilterField {
    fn of(field: &Field) -> FilterField {
        FilterField {
            kind: Kind::of(&field.type_text),
            offset: field.offset as usize,
            size: field.size as usize,
            signed: field.signed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, find};
    use tracec_kernel::filter::Model;
    use tracec_kernel::format::EventFormat;

    /// A condition is written for the field that [`EventFormat::field`] returns; the filter has to find the same.
    #[test]
    fn of_two_fields_with_one_name_the_filter_has_the_one_that_conditions_ask_about() {
        let format = EventFormat::parse(
            "s",
            "name: e\nID: 1\nformat:\n\
             \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
             \tfield:u8 common_a;\toffset:2;\tsize:1;\tsigned:0;\n\
             \tfield:u8 common_a;\toffset:3;\tsize:1;\tsigned:0;\n\
             \tfield:u8 common_b;\toffset:4;\tsize:1;\tsigned:0;\n\n\
             \tfield:u16 a;\toffset:8;\tsize:2;\tsigned:0;\n\
             \tfield:u16 common_b;\toffset:10;\tsize:2;\tsigned:0;\n\
             \tfield:u32 a;\toffset:12;\tsize:4;\tsigned:0;\n\
             \tfield:u8 cpu;\toffset:16;\tsize:1;\tsigned:0;\n\n\
             print fmt: \"\"\n",
        )
        .unwrap();
        for (name, offset) in [("common_type", 0), ("common_a", 3), ("common_b", 10), ("a", 12), ("cpu", 16)]
        {
            assert_eq!(format.field(name).map(|field| field.offset), Some(offset), "{name}");
            let found = find(&format, &Model::LINUX_6_18, name.as_bytes());
            assert_eq!(found.map(|field| field.offset), Some(offset as usize), "{name}");
        }
        assert_eq!(format.field("b"), None);
    }

    #[test]
    fn types_are_told_apart_by_their_words() {
        for (type_text, kind) in [
            ("int", Kind::Other),
            ("char", Kind::Other),
            ("unsigned char", Kind::Other),
            ("char[16]", Kind::StaticString),
            ("unsigned char[6]", Kind::StaticString),
            ("u8[6]", Kind::Other),
            ("char *", Kind::Pointer),
            ("const char *", Kind::Pointer),
            ("char const *", Kind::Other),
            ("const char *const *", Kind::Other),
            ("char *[2]", Kind::StaticString),
            ("__data_loc char[]", Kind::DynString),
            ("__data_loc unsigned char[]", Kind::DynString),
            ("__data_loc cpumask_t", Kind::CpuMask),
            ("__data_loc u8[]", Kind::Other),
            ("__rel_loc char[]", Kind::RelString),
            ("__rel_loc cpumask_t", Kind::Other),
            ("__rel_loc u16[]", Kind::Other),
            ("struct charger", Kind::Other),
        ] {
            assert_eq!(Kind::of(type_text), kind, "{type_text}");
        }
    }
}
