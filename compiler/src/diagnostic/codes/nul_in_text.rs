//! T0244: nul-in-text. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0244", "nul-in-text", include_str!("nul_in_text.md"));

pub(crate) fn nul_in_text(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "a string cannot contain a NUL").at(span, "contains a NUL")
}
