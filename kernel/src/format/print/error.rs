//! Why a `print fmt` cannot be read.

/// Why a `print fmt` cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset} of the print fmt: {kind}")]
pub struct PrintError {
    /// Bytes from the beginning of the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: PrintErrorKind,
}

impl PrintError {
    pub(super) fn new(offset: usize, kind: PrintErrorKind) -> Self {
        PrintError { offset, kind }
    }
}

/// What is wrong with a `print fmt`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrintErrorKind {
    /// It does not begin with a format string.
    #[error("a format string in double quotes must stand here")]
    NoFormat,
    /// The format string, another string or a character constant does not end.
    #[error("the closing quote is missing")]
    OpenQuote,
    /// A directive of the format string that `vsnprintf` of the kernel does not know.
    #[error("the kernel's printk knows no such directive")]
    Directive,
    /// A character that belongs to no token of C.
    #[error("`{0}` does not belong into an expression")]
    Character(char),
    /// A number or character constant that is none.
    #[error("this is no constant of C")]
    Constant,
    /// Something else must stand here.
    #[error("{0} must stand here")]
    Expected(&'static str),
    /// A statement that no `print fmt` of a kernel was seen to use.
    #[error("statements of this kind are not known in a print fmt")]
    Statement,
    /// A helper with too few or too many arguments.
    #[error("`{helper}` does not take these arguments")]
    Helper {
        /// The helper's name.
        helper: &'static str,
    },
    /// The directives take more arguments than there are.
    #[error("the format takes {needed} arguments, but {found} follow it")]
    Arguments {
        /// Arguments that the directives take.
        needed: usize,
        /// Arguments that there are.
        found: usize,
    },
    /// Parentheses, operators or blocks lie too deep in one another.
    #[error("this is nested too deeply")]
    TooDeep,
    /// The text is larger than offsets of 32 bits reach.
    #[error("the text is too long")]
    TooLong,
}
