//! Errors in a text of C.

/// An error in a text of C, and its offset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {kind}")]
pub struct CError {
    /// Bytes from the beginning of the text.
    pub offset: usize,
    /// The kind of error.
    pub kind: CErrorKind,
}

impl CError {
    pub(crate) fn new(offset: usize, kind: CErrorKind) -> Self {
        CError { offset, kind }
    }
}

/// The kinds of errors in a text of C.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CErrorKind {
    /// A string or a character constant does not end.
    #[error("the closing quote is missing")]
    OpenQuote,
    /// A character that does not begin a token of C.
    #[error("`{0}` does not belong into an expression")]
    Character(char),
    /// A number or character constant that is not valid.
    #[error("this is not a constant of C")]
    Constant,
    /// Something else is expected here.
    #[error("{0} must stand here")]
    Expected(&'static str),
    /// A kind of statement that is not known from the `print fmt` of any kernel.
    #[error("statements of this kind are not known in a print fmt")]
    Statement,
    /// A helper of TP_printk with too few or too many arguments.
    #[error("`{helper}` does not take these arguments")]
    Helper {
        /// The helper's name.
        helper: &'static str,
    },
    /// Parentheses, operators or blocks are nested too deeply.
    #[error("this is nested too deeply")]
    TooDeep,
    /// The text is longer than offsets of 32 bits allow.
    #[error("the text is too long")]
    TooLong,
}
