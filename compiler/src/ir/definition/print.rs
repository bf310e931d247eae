//! How a record prints.

use std::sync::Arc;

use tracec_grammar::span::Span;
use tracec_kernel::tables::printk::Extension;

use super::expression::ExprId;
use super::value::EnumType;

/// Text with the record's values in it (`TP_printk`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintTemplate {
    /// Text and values in turn.
    pub parts: Vec<PrintPart>,
    /// Where it is written; `None` where it follows from the fields.
    pub span: Option<Span>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PrintPart {
    /// Text as it is.
    Text(String),
    /// A field of the record.
    Field {
        /// Its index among the fields of the class or probe.
        field: usize,
        /// How it prints.
        conversion: Conversion,
    },
    /// An expression over the fields.
    Expr {
        /// The expression.
        expr: ExprId,
        /// How its value prints.
        conversion: Conversion,
    },
}

/// How a value prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// As a number.
    Integer {
        /// In which base.
        base: Base,
        /// Its bytes: which length modifier printf needs.
        bytes: u32,
        /// Width and flags.
        shape: Shape,
    },
    /// As text.
    Text(Shape),
    /// By the name of the enum's member (`__print_symbolic`).
    Symbolic {
        /// The enum.
        ty: Arc<EnumType>,
        /// Width and flags.
        shape: Shape,
    },
    /// By the names of the flags that are set (`__print_flags`).
    Flags {
        /// The flags.
        ty: Arc<EnumType>,
        /// What stands between two names.
        delimiter: String,
        /// Width and flags.
        shape: Shape,
    },
    /// `MAJOR,MINOR` of a `dev_t`.
    Device,
    /// By a `%p` extension.
    Pointer {
        /// Which.
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
        /// Blanks stand between them.
        spaced: bool,
    },
    /// A set of CPUs (`__get_cpumask`).
    Cpumask,
}

/// In which base a number prints.
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

/// Width, precision and flags of printf.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// Of `-+ #0`, as written.
    pub flags: String,
    /// At least so many characters.
    pub width: Option<u32>,
    /// At most so many characters of a text, at least so many digits of a number.
    pub precision: Option<u32>,
}
