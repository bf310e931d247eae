//! T0512: kernel-unreadable. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0512", "kernel-unreadable", include_str!("kernel_unreadable.md"));

/// Returns the error for a file of the kernel that cannot be read; `reason` is the whole message.
pub fn kernel_unreadable(span: Option<Span>, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, reason.to_owned());
    match span {
        Some(span) => diagnostic.at(span, "needed for this"),
        None => diagnostic,
    }
}
