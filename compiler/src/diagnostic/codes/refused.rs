//! T0505: refused. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The entry of the kernel's error log about a refused write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelWords {
    /// The message.
    pub text: String,
    /// The command that it is about.
    pub command: String,
    /// The byte of the command that it points at.
    pub caret: Option<usize>,
}

pub(crate) static CODE: Code = Code::error("T0505", "refused", include_str!("refused.md"));

/// Returns the error for a write that the kernel refused; `kernel` is the entry of its error log, if it wrote one.
pub fn refused(
    span: Option<Span>,
    file: &str,
    value: &str,
    errno: &str,
    kernel: Option<&KernelWords>,
) -> Diagnostic {
    let mut diagnostic = Diagnostic::error(&CODE, format!("the kernel refused a write to {file}: {errno}"));
    if let Some(span) = span {
        diagnostic = diagnostic.at(span, "asked for here");
    }
    if let Some(words) = kernel {
        diagnostic = diagnostic.note(format!("the kernel says: {}", words.text));
        if let Some(caret) = words.caret {
            return diagnostic.note(format!("{}\n{:>width$}", words.command, "^", width = caret + 1));
        }
    }
    diagnostic.note(format!("the value was: {value}"))
}
