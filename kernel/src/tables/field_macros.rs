//! The macros of `TP_STRUCT__entry`: include/trace/stages/stage1_struct_define.h and stage4_event_fields.h.

/// The location of a field's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// In the record's struct.
    Inline,
    /// After it; the struct holds a word with the length and the offset from the record's start.
    DataLoc,
    /// After it; the offset counts from the end of the word.
    RelLoc,
}

/// The kind of data that a macro declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// One value of a type.
    Value,
    /// One struct.
    Struct,
    /// A number of elements that the definition fixes.
    Array,
    /// A number of elements that differs between records.
    Elements,
    /// A string with its NUL.
    Text,
    /// A string of a length that differs between records; its source need not end with a NUL.
    CountedText,
    /// A string that is formatted as `vprintf` does it.
    FormattedText,
    /// A set of CPUs.
    Cpumask,
    /// Bits, in a number that differs between records.
    Bitmask,
    /// A socket address, of a length that differs between records.
    SocketAddress,
}

/// A macro of `TP_STRUCT__entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldMacro {
    /// Its name.
    pub name: &'static str,
    /// The kind of data.
    pub holds: Holds,
    /// The location of its bytes.
    pub storage: Storage,
    /// The statement of `TP_fast_assign` that fills it; `None` where that is an assignment or a copy.
    pub assign: Option<&'static str>,
    /// The macro that reads it in `TP_printk`; `None` where that is `__entry->NAME`.
    pub get: Option<&'static str>,
}

const fn inline(name: &'static str, holds: Holds) -> FieldMacro {
    FieldMacro { name, holds, storage: Storage::Inline, assign: None, get: None }
}

const fn located(
    name: &'static str,
    holds: Holds,
    storage: Storage,
    assign: Option<&'static str>,
    get: &'static str,
) -> FieldMacro {
    FieldMacro { name, holds, storage, assign, get: Some(get) }
}

/// All macros that definitions use.
pub const ALL: &[FieldMacro] = &[
    inline("__field", Holds::Value),
    inline("__field_struct", Holds::Struct),
    inline("__array", Holds::Array),
    located("__dynamic_array", Holds::Elements, Storage::DataLoc, None, "__get_dynamic_array"),
    located("__string", Holds::Text, Storage::DataLoc, Some("__assign_str"), "__get_str"),
    located("__string_len", Holds::CountedText, Storage::DataLoc, Some("__assign_str_len"), "__get_str"),
    located("__vstring", Holds::FormattedText, Storage::DataLoc, Some("__assign_vstr"), "__get_str"),
    located("__bitmask", Holds::Bitmask, Storage::DataLoc, Some("__assign_bitmask"), "__get_bitmask"),
    located("__cpumask", Holds::Cpumask, Storage::DataLoc, Some("__assign_cpumask"), "__get_cpumask"),
    located(
        "__sockaddr",
        Holds::SocketAddress,
        Storage::DataLoc,
        Some("__assign_sockaddr"),
        "__get_sockaddr",
    ),
    located("__rel_dynamic_array", Holds::Elements, Storage::RelLoc, None, "__get_rel_dynamic_array"),
    located("__rel_string", Holds::Text, Storage::RelLoc, Some("__assign_rel_str"), "__get_rel_str"),
    located(
        "__rel_string_len",
        Holds::CountedText,
        Storage::RelLoc,
        Some("__assign_rel_str_len"),
        "__get_rel_str",
    ),
    located(
        "__rel_bitmask",
        Holds::Bitmask,
        Storage::RelLoc,
        Some("__assign_rel_bitmask"),
        "__get_rel_bitmask",
    ),
    located(
        "__rel_cpumask",
        Holds::Cpumask,
        Storage::RelLoc,
        Some("__assign_rel_cpumask"),
        "__get_rel_cpumask",
    ),
    located(
        "__rel_sockaddr",
        Holds::SocketAddress,
        Storage::RelLoc,
        Some("__assign_rel_sockaddr"),
        "__get_rel_sockaddr",
    ),
];

/// Returns the macro with this name.
pub fn find(name: &str) -> Option<&'static FieldMacro> {
    ALL.iter().find(|field| field.name == name)
}

/// Returns the macro for this kind of data at this location.
pub fn of(holds: Holds, storage: Storage) -> Option<&'static FieldMacro> {
    ALL.iter().find(|field| field.holds == holds && field.storage == storage)
}

/// Returns whether a macro of `TP_fast_assign` takes a field by its name first: one that fills it, or one that reads where it is.
pub fn takes_field(name: &str) -> bool {
    ALL.iter().any(|field| field.assign == Some(name) || field.get == Some(name))
}

/// Returns the names of all macros.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|field| field.name)
}

/// The size and alignment of the word that locates a field's bytes behind the struct.
pub const LOCATION_BYTES: u32 = 4;
