//! The types of a probe's fetch arguments: `probe_fetch_types` in kernel/trace/trace_probe.c.

/// What a type does with the value that is fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetches {
    /// The value itself.
    Integer {
        /// Whether it is signed.
        signed: bool,
    },
    /// The text at the address, in kernel memory.
    KernelText,
    /// The text at the address, in user memory.
    UserText,
    /// The value, printed as the name of a kernel symbol.
    Symbol,
    /// The name of the kernel symbol, as text in the record.
    SymbolText,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchType {
    /// Its name.
    pub name: &'static str,
    /// Its bytes in the record; of texts the four of the word that says where they are.
    pub size: u32,
    /// What it fetches.
    pub fetches: Fetches,
    /// The type as the `format` file shows it.
    pub shown: &'static str,
    /// Only probes of the kernel have it (`find_fetch_type`).
    pub kernel_only: bool,
    /// The feature of [`super::features`] by which a kernel is asked for it; `None` where every kernel has it.
    pub feature: Option<&'static str>,
}

const fn unsigned(name: &'static str, size: u32, shown: &'static str) -> FetchType {
    FetchType {
        name,
        size,
        fetches: Fetches::Integer { signed: false },
        shown,
        kernel_only: false,
        feature: None,
    }
}

const fn signed(name: &'static str, size: u32) -> FetchType {
    FetchType {
        name,
        size,
        fetches: Fetches::Integer { signed: true },
        shown: name,
        kernel_only: false,
        feature: None,
    }
}

const fn text(name: &'static str, fetches: Fetches, kernel_only: bool) -> FetchType {
    FetchType { name, size: 4, fetches, shown: "__data_loc char[]", kernel_only, feature: None }
}

/// All of them; bit fields (`bWIDTH@OFFSET/CONTAINER`) come besides.
pub const ALL: &[FetchType] = &[
    unsigned("u8", 1, "u8"),
    unsigned("u16", 2, "u16"),
    unsigned("u32", 4, "u32"),
    unsigned("u64", 8, "u64"),
    signed("s8", 1),
    signed("s16", 2),
    signed("s32", 4),
    signed("s64", 8),
    unsigned("x8", 1, "u8"),
    unsigned("x16", 2, "u16"),
    unsigned("x32", 4, "u32"),
    unsigned("x64", 8, "u64"),
    FetchType { feature: Some("fetch-char"), ..unsigned("char", 1, "u8") },
    FetchType { kernel_only: true, fetches: Fetches::Symbol, ..unsigned("symbol", 8, "u64") },
    text("symstr", Fetches::SymbolText, true),
    text("string", Fetches::KernelText, false),
    text("ustring", Fetches::UserText, false),
];

/// The type with this name.
pub fn find(name: &str) -> Option<&'static FetchType> {
    ALL.iter().find(|ty| ty.name == name)
}

/// The names of all types.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|ty| ty.name)
}

/// The type that fetches an integer of this size and sign.
pub fn of_integer(size: u32, signed: bool) -> Option<&'static FetchType> {
    ALL.iter().find(|ty| ty.size == size && ty.fetches == Fetches::Integer { signed })
}
