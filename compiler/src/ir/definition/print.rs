//! Print templates of records.

use tracec_grammar::span::Span;
use tracec_kernel::tables::printk::Extension;

use super::expression::ExprId;
use super::value::EnumId;

/// Text with values of the record in it (`TP_printk`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintTemplate {
    /// Text and values in turn.
    pub parts: Vec<PrintPart>,
    /// The span; `None` where the template is derived from the fields.
    pub span: Option<Span>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintPart {
    /// Literal text.
    Text(String),
    /// A field of the record.
    Field {
        /// Its index among the fields of the class or probe.
        field: usize,
        /// The conversion of its value.
        conversion: Conversion,
    },
    /// An expression over the fields.
    Expr {
        /// The expression.
        expr: ExprId,
        /// The conversion of its value.
        conversion: Conversion,
    },
}

/// The conversion of a value to text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// As a number.
    Integer {
        /// The base.
        base: Base,
        /// The size in bytes, which decides the length modifier of printf.
        bytes: u32,
        /// Width and flags.
        shape: Shape,
    },
    /// As a string.
    Text(Shape),
    /// By the name of the enum's member (`__print_symbolic`).
    Symbolic {
        /// The enum.
        ty: EnumId,
        /// Width and flags.
        shape: Shape,
    },
    /// By the names of the flags that are set (`__print_flags`).
    Flags {
        /// The flags.
        ty: EnumId,
        /// The separator between two names.
        delimiter: String,
        /// Width and flags.
        shape: Shape,
    },
    /// `MAJOR,MINOR` of a `dev_t`.
    Device,
    /// As a `%p` extension.
    Pointer {
        /// The extension.
        extension: &'static Extension,
        /// Width and flags.
        shape: Shape,
    },
    /// The elements of an array in braces (`__print_array`).
    Array {
        /// Bytes of one element.
        element: u32,
    },
    /// The bytes of an array (`__print_hex`, `__print_hex_str`).
    Hex {
        /// Whether blanks separate them.
        spaced: bool,
    },
    /// The bytes of an array as lines (`__print_hex_dump`).
    HexDump(HexDump),
    /// A set of CPUs or a bit map as a hexadecimal number (`__get_cpumask`, `__get_bitmask`).
    Bits,
    /// Nanoseconds as seconds (`__print_ns_to_secs`, `__print_ns_without_secs`).
    Nanoseconds {
        /// The parts that are shown.
        part: SecondsPart,
        /// Width and flags, if that is one part.
        shape: Shape,
    },
}

/// The form of a hex dump: the arguments of `print_hex_dump` in lib/hexdump.c.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexDump {
    /// The text at the beginning of each line.
    pub prefix: String,
    /// Whether the offset of its first byte follows that text.
    pub offset: bool,
    /// Bytes of a line: 16 or 32.
    pub row: u32,
    /// Bytes that are shown as one number: 1, 2, 4 or 8.
    pub group: u32,
    /// Whether the bytes follow as characters.
    pub ascii: bool,
}

/// The parts of a number of nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SecondsPart {
    /// `SECONDS.NANOSECONDS`, the latter with nine digits.
    All,
    /// Whole seconds.
    Whole,
    /// The nanoseconds of the last second that has begun.
    Rest,
}

/// The base in which a number prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `%d`
    Signed,
    /// `%u`
    Unsigned,
    /// `%x`
    Hex,
    /// `%X`
    UpperHex,
    /// `%o`
    Octal,
    /// `%c`
    Char,
}

impl Base {
    /// Returns the letter of printf.
    pub fn letter(self) -> char {
        match self {
            Base::Signed => 'd',
            Base::Unsigned => 'u',
            Base::Hex => 'x',
            Base::UpperHex => 'X',
            Base::Octal => 'o',
            Base::Char => 'c',
        }
    }
}

/// Width, precision and flags of printf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Any of `-+ #0`, as written.
    pub flags: String,
    /// The least number of characters.
    pub width: Option<u32>,
    /// The greatest number of characters of a string, or the least number of digits of a number.
    pub precision: Option<u32>,
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.flags)?;
        if let Some(width) = self.width {
            write!(f, "{width}")?;
        }
        match self.precision {
            Some(precision) => write!(f, ".{precision}"),
            None => Ok(()),
        }
    }
}
