//! T0701: duplicate-definition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0701", "duplicate-definition", include_str!("duplicate_definition.md"));

pub(crate) fn duplicate_definition(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is defined twice"))
        .at(span, "again here")
        .and_at(first, "first defined here")
}
