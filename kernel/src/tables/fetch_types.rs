//! The types of a probe's fetch arguments: `probe_fetch_types` in kernel/trace/trace_probe.c.

/// The conversion of a fetched value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fetches {
    /// The value itself.
    Integer {
        /// Whether it is signed.
        signed: bool,
    },
    /// The string at the address, in kernel memory.
    KernelText,
    /// The string at the address, in user memory.
    UserText,
    /// The value, printed as the name of a kernel symbol.
    Symbol,
    /// The name of the kernel symbol, as a string in the record.
    SymbolText,
    /// The name of the `struct dentry` or `struct file` at the address, as a string in the record
    /// (`traceprobe_expand_dentry_args`); only for probes at functions and tracepoints of the kernel.
    FileName,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FetchType {
    /// Its name.
    pub name: &'static str,
    /// Its size in the record; for strings the four bytes of the location word.
    pub size: u32,
    /// The conversion.
    pub fetches: Fetches,
    /// The type as the `format` file shows it.
    pub shown: &'static str,
    /// Whether only probes of the kernel have it (`find_fetch_type`).
    pub kernel_only: bool,
    /// The feature of [`super::features`] that shows whether a kernel has it; `None` where every kernel has it.
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

const fn file_name(name: &'static str) -> FetchType {
    FetchType { feature: Some("fetch-file-name"), ..text(name, Fetches::FileName, true) }
}

/// All types, except bit fields ([`BitField`]).
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
    file_name("%pd"),
    file_name("%pD"),
];

/// `bWIDTH@OFFSET/CONTAINER`: some bits of an integer, recorded as an unsigned integer of the container's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    /// The number of bits.
    pub width: u32,
    /// The position of the lowest bit.
    pub offset: u32,
    /// The number of bits of the integer that holds them: 8, 16, 32 or 64.
    pub container: u32,
}

impl BitField {
    /// Returns whether a word is written like a bit field.
    pub fn is_one(word: &str) -> bool {
        word.starts_with('b') && word.contains('@')
    }

    /// Reads the word, as `find_fetch_type` and `__parse_bitfield_probe_arg` do.
    ///
    /// # Errors
    /// The mistake in it.
    pub fn parse(word: &str) -> Result<BitField, &'static str> {
        let form = "a bit field is `bWIDTH@OFFSET/CONTAINER`";
        let parts = word.strip_prefix('b').and_then(|rest| rest.split_once('@'));
        let Some((width, (offset, container))) =
            parts.and_then(|(width, rest)| Some((width, rest.split_once('/')?)))
        else {
            return Err(form);
        };
        let number = |text: &str| text.parse::<u32>().map_err(|_| form);
        let (width, offset, container) = (number(width)?, number(offset)?, number(container)?);
        if !matches!(container, 8 | 16 | 32 | 64) {
            return Err("a bit field lies in an integer of 8, 16, 32 or 64 bits");
        }
        if width == 0 {
            return Err("a bit field has a bit at least");
        }
        if u64::from(width) + u64::from(offset) > u64::from(container) {
            return Err("the bits reach beyond the integer that they lie in");
        }
        Ok(BitField { width, offset, container })
    }

    /// Returns the integer type as which it is recorded.
    pub fn recorded(self) -> Option<&'static FetchType> {
        of_integer(self.container / 8, false)
    }
}

/// Returns the type with this name.
pub fn find(name: &str) -> Option<&'static FetchType> {
    ALL.iter().find(|ty| ty.name == name)
}

/// Returns the names of all types.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|ty| ty.name)
}

/// Returns the type that fetches an integer of this size and sign.
pub fn of_integer(size: u32, signed: bool) -> Option<&'static FetchType> {
    ALL.iter().find(|ty| ty.size == size && ty.fetches == Fetches::Integer { signed })
}

#[cfg(test)]
mod tests {
    use super::BitField;

    #[test]
    fn bit_fields_lie_in_their_container() {
        let field = BitField { width: 3, offset: 0, container: 32 };
        assert_eq!(BitField::parse("b3@0/32"), Ok(field));
        assert_eq!(field.recorded().map(|ty| ty.name), Some("u32"));
        assert!(BitField::parse("b8@56/64").is_ok());
        for wrong in [
            "b0@0/8",
            "b9@0/8",
            "b1@8/8",
            "b1@0/24",
            "b1@0",
            "b@0/8",
            "bx@0/8",
            "b1@/8",
            "b1@0/",
            "b4294967295@1/8",
        ] {
            assert!(BitField::parse(wrong).is_err(), "{wrong}");
        }
        assert!(BitField::is_one("b1@0/8") && !BitField::is_one("bool"));
    }
}
