//! Errors in a `print fmt`.

use crate::c::{CError, CErrorKind};

/// An error in a `print fmt`, and its offset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset} of the print fmt: {kind}")]
pub struct PrintError {
    /// Bytes from the beginning of the text.
    pub offset: usize,
    /// The kind of error.
    pub kind: PrintErrorKind,
}

impl PrintError {
    pub(super) fn new(offset: usize, kind: PrintErrorKind) -> Self {
        PrintError { offset, kind }
    }
}

impl From<CError> for PrintError {
    fn from(error: CError) -> Self {
        PrintError::new(error.offset, PrintErrorKind::C(error.kind))
    }
}

/// The kinds of errors in a `print fmt`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PrintErrorKind {
    /// It does not begin with a format string.
    #[error("a format string in double quotes must stand here")]
    NoFormat,
    /// A directive of the format string that `vsnprintf` of the kernel does not know.
    #[error("the kernel's printk knows no such directive")]
    Directive,
    /// The directives take more arguments than follow.
    #[error("the format takes {needed} arguments, but {found} follow it")]
    Arguments {
        /// The number of arguments that the directives take.
        needed: usize,
        /// The number of arguments that follow.
        found: usize,
    },
    /// The text is not C.
    #[error(transparent)]
    C(CErrorKind),
}
