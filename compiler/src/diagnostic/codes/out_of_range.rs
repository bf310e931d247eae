//! T0202: out-of-range. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0202", "out-of-range", include_str!("out_of_range.md"));

/// Raises it.
pub fn out_of_range(span: Span, value: i128, field: &str, low: i128, high: i128) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{value} does not fit `{field}`"))
        .at(span, format!("`{field}` holds {low} to {high}"))
        .note("the kernel would cut the number to the field's size and compare with what is left")
}
