//! Why a text of C cannot be read.

/// Why a text of C cannot be read, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {kind}")]
pub struct CError {
    /// Bytes from the beginning of the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: CErrorKind,
}

impl CError {
    pub(crate) fn new(offset: usize, kind: CErrorKind) -> Self {
        CError { offset, kind }
    }
}

/// What is wrong with a text of C.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CErrorKind {
    /// A string or a character constant does not end.
    #[error("the closing quote is missing")]
    OpenQuote,
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
    /// A helper of TP_printk with too few or too many arguments.
    #[error("`{helper}` does not take these arguments")]
    Helper {
        /// The helper's name.
        helper: &'static str,
    },
    /// Parentheses, operators or blocks lie too deep in one another.
    #[error("this is nested too deeply")]
    TooDeep,
    /// The text is larger than offsets of 32 bits reach.
    #[error("the text is too long")]
    TooLong,
}
