//! T0219: repeated-value. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0219", "repeated-value", Level::Warn, include_str!("repeated_value.md"));

pub(crate) fn repeated_value(span: Span, first: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, "duplicate value in a list").at(span, "again").and_at(first, "first here")
}
