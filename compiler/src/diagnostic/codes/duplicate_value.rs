//! T0710: duplicate-value. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0710", "duplicate-value", Level::Warn, include_str!("duplicate_value.md"));

pub(crate) fn duplicate_value(span: Span, name: &str, value: i128, first: &str, at: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("`{name}` and `{first}` have the same value, {value}"))
        .at(span, "never printed")
        .and_at(at, "records print this name")
}
