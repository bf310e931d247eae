//! T0710: duplicate-value. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0710", name: "duplicate-value", page: include_str!("duplicate_value.md") };

/// Raises it.
pub fn duplicate_value(span: Span, name: &str, value: i128, first: &str, at: Span) -> Diagnostic {
    Diagnostic::warning(&CODE, format!("`{name}` has the value of `{first}`: {value}"))
        .at(span, "never printed")
        .and_at(at, "a record prints this name")
}
