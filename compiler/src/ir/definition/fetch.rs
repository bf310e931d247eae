//! Fetch arguments: what a probe reads for a field of its record, and as which type.
//!
//! Their `Display` is the kernel's syntax (`parse_probe_arg` and `find_fetch_type` in kernel/trace/trace_probe.c).

use std::fmt;

use tracec_kernel::btf::Access;
use tracec_kernel::tables::fetch_types::{BitField, FetchType};

/// A fetch argument without its type: `%di`, `+4($stack)`, `@jiffies`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchArgument {
    /// The value that is read first.
    pub first: FirstValue,
    /// The dereferences of that value, outermost first: each reads at the address that the next one yields.
    pub dereferences: Vec<Dereference>,
}

/// A read of memory at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dereference {
    /// The offset in bytes from the address.
    pub offset: i64,
    /// Whether it is user memory, in a probe of the kernel.
    pub user: bool,
    /// How the kernel's types lead to the offset; `None` for one that is written as a number.
    pub access: Option<Access>,
}

/// The first value of a fetch argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstValue {
    /// A register, by the kernel's name: `%di`.
    Register(String),
    /// The stack pointer: `$stack`.
    StackPointer,
    /// A word of the stack: `$stack3`.
    Stack(u64),
    /// The returned value: `$retval`.
    Result,
    /// An argument, counted from 1: `$arg1`.
    Argument(u64),
    /// Every argument, by the kernel's type information: `$arg*`.
    AllArguments,
    /// The name of the task: `$comm`.
    Comm,
    /// A field of an event: `$filename`.
    Field(String),
    /// The memory at an address: `@0xffff...`.
    Memory(u64),
    /// The memory at a symbol: `@jiffies`, `@symbol+8`.
    Symbol {
        /// The symbol.
        name: String,
        /// The offset in bytes from it.
        offset: i64,
    },
    /// The memory at an offset in the probed file: `@+0x120`.
    FileOffset(u64),
    /// A number: `\42`. One with a sign has 64 bits with it, others have 64 bits without (`str_to_immediate`).
    Immediate(i128),
    /// A string: `\"text"`.
    Text(String),
}

impl FetchArgument {
    /// Returns whether the fetched value is in memory: only then can it be text or an array.
    pub fn is_memory(&self) -> bool {
        let at = |first: &FirstValue| {
            matches!(first, FirstValue::Memory(_) | FirstValue::Symbol { .. } | FirstValue::FileOffset(_))
        };
        !self.dereferences.is_empty() || at(&self.first)
    }

    /// Returns whether the argument is a text literal.
    pub fn is_text(&self) -> bool {
        self.dereferences.is_empty() && matches!(self.first, FirstValue::Comm | FirstValue::Text(_))
    }

    /// Returns whether the fetched value is in user memory.
    pub fn is_user_memory(&self) -> bool {
        self.dereferences.first().is_some_and(|outermost| outermost.user)
    }
}

impl fmt::Display for FetchArgument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Dereference { offset, user, .. } in &self.dereferences {
            let sign = if *offset < 0 { '-' } else { '+' };
            let user = if *user { "u" } else { "" };
            write!(f, "{sign}{user}{}(", offset.unsigned_abs())?;
        }
        write!(f, "{}{}", self.first, ")".repeat(self.dereferences.len()))
    }
}

impl fmt::Display for FirstValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FirstValue::Register(name) => write!(f, "%{name}"),
            FirstValue::StackPointer => f.write_str("$stack"),
            FirstValue::Stack(word) => write!(f, "$stack{word}"),
            FirstValue::Result => f.write_str("$retval"),
            FirstValue::Argument(number) => write!(f, "$arg{number}"),
            FirstValue::AllArguments => f.write_str("$arg*"),
            FirstValue::Comm => f.write_str("$comm"),
            FirstValue::Field(name) => write!(f, "${name}"),
            FirstValue::Memory(address) => write!(f, "@{address:#x}"),
            FirstValue::Symbol { name, offset: 0 } => write!(f, "@{name}"),
            FirstValue::Symbol { name, offset } => write!(f, "@{name}{offset:+}"),
            FirstValue::FileOffset(offset) => write!(f, "@+{offset:#x}"),
            FirstValue::Immediate(number) => write!(f, "\\{number}"),
            FirstValue::Text(text) => write!(f, "\\\"{text}\""),
        }
    }
}

/// The type as which a probe fetches a value: `u32`, `ustring`, `x8[16]`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct FetchedType {
    /// The type of the value, or of each element of an array.
    pub element: FetchedElement,
    /// The number of elements of an array.
    pub count: Option<u64>,
}

/// The type of one fetched value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchedElement {
    /// A type of the kernel's table.
    Listed(&'static FetchType),
    /// Some bits of an integer.
    Bits(BitField),
}

impl FetchedElement {
    /// Returns the type as which the record holds it; `None` for bits of an integer that no type of the table can hold.
    pub fn recorded(self) -> Option<&'static FetchType> {
        match self {
            FetchedElement::Listed(ty) => Some(ty),
            FetchedElement::Bits(field) => field.recorded(),
        }
    }
}

impl From<&'static FetchType> for FetchedType {
    /// Returns the type of a single value.
    fn from(ty: &'static FetchType) -> Self {
        FetchedType { element: FetchedElement::Listed(ty), count: None }
    }
}

/// A dump shows the kernel's spelling, not a row of the table of types.
impl fmt::Debug for FetchedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for FetchedType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element {
            FetchedElement::Listed(ty) => f.write_str(ty.name)?,
            FetchedElement::Bits(BitField { width, offset, container }) => {
                write!(f, "b{width}@{offset}/{container}")?;
            }
        }
        match self.count {
            Some(count) => write!(f, "[{count}]"),
            None => Ok(()),
        }
    }
}
