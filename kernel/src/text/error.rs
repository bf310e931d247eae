//! Errors in the compilation of a text.

use crate::c::ByteRange;
use crate::format::print::{PrintError, PrintErrorKind};

/// A part of a `print fmt` that cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bytes {} to {} of the print fmt: {kind}", range.start, range.end)]
pub struct TextError {
    /// The part, in bytes of the `print fmt`.
    pub range: ByteRange,
    /// The reason.
    pub kind: TextErrorKind,
}

impl TextError {
    pub(super) fn new(range: ByteRange, kind: TextErrorKind) -> Self {
        TextError { range, kind }
    }
}

impl From<PrintError> for TextError {
    fn from(error: PrintError) -> Self {
        let range = ByteRange::new(error.offset, error.offset);
        TextError { range, kind: TextErrorKind::Print(error.kind) }
    }
}

/// The reasons why a part of a `print fmt` cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextErrorKind {
    /// The `print fmt` cannot be parsed.
    #[error(transparent)]
    Print(PrintErrorKind),
    /// The event has no such field.
    #[error("the event has no field `{0}`")]
    Field(String),
    /// A helper for dynamic data is given a field that is not dynamic.
    #[error("the field `{0}` does not hold dynamic data")]
    NotDynamic(String),
    /// A name that is neither a local variable nor known to the environment.
    #[error("the value of `{0}` is not known")]
    Unresolved(String),
    /// A function of the kernel that this crate does not implement.
    #[error("the kernel's function `{0}` is not implemented")]
    Function(String),
    /// A function of the kernel with too few or too many arguments.
    #[error("`{0}` does not take these arguments")]
    Arguments(String),
    /// A type whose size and sign are not known.
    #[error("the type `{0}` is not known")]
    Type(String),
    /// A member of a struct whose place is not known.
    #[error("the member `{0}` is not known")]
    Member(String),
    /// A `%p` extension that prints what is not in the record.
    #[error("`%p{0}` prints memory of the kernel that no record holds")]
    Extension(String),
    /// The expression is not constant, where only a constant can be.
    #[error("this is not constant")]
    NotConstant,
    /// The expression is not a string.
    #[error("this is not a string")]
    NotText,
    /// The expression has no address.
    #[error("this has no address")]
    NoAddress,
    /// The expression has no value.
    #[error("this has no value")]
    NoValue,
    /// A form of C that no known kernel prints.
    #[error("this form of C is not known in a print fmt")]
    Form,
    /// More operands, variables or constants than a program can hold.
    #[error("this is too large")]
    TooLarge,
}
