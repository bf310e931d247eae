//! T0740: format-mismatch. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0740", "format-mismatch", include_str!("format_mismatch.md"));

pub(crate) fn format_mismatch(span: Span, wants: &str, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the format prints {wants}, and this is {found}")).at(span, found)
}

/// Reports a `%p` extension for the wrong type.
pub(crate) fn extension(span: Span, letters: &str, wants: &str, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{letters}` prints {wants}")).at(span, format!("this is {found}"))
}
