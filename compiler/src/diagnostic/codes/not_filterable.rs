//! T0204: not-filterable. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0204", "not-filterable", include_str!("not_filterable.md"));

pub(crate) fn not_filterable(span: Span, field: &str, field_type: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{field}` cannot be used in a condition"))
        .at(span, format!("has the type `{field_type}`"))
        .note("a condition can test integers of 1, 2, 4 and 8 bytes, strings, and masks of CPUs")
}
