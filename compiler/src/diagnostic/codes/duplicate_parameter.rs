//! T0124: duplicate-parameter. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0124", "duplicate-parameter", include_str!("duplicate_parameter.md"));

pub(crate) fn duplicate_parameter(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the parameter `{name}` is given twice"))
        .at(span, "again")
        .and_at(first, "first here")
}
