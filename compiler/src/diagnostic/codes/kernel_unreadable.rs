//! T0512: kernel-unreadable. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0512", "kernel-unreadable", include_str!("kernel_unreadable.md"));

/// Raises it.
pub fn kernel_unreadable(span: Option<Span>, reason: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, reason.to_owned());
    match span {
        Some(span) => diagnostic.at(span, "needed for this"),
        None => diagnostic,
    }
}
