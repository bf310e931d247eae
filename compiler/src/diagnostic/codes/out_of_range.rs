//! T0202: out-of-range. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0202", "out-of-range", include_str!("out_of_range.md"));

/// Raises it for a field.
pub fn out_of_range(span: Span, value: i128, field: &str, low: i128, high: i128) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{value} does not fit `{field}`"))
        .at(span, format!("`{field}` holds {low} to {high}"))
        .note("the kernel would cut the number to the field's size and compare with what is left")
}

/// Raises it for what is computed; `wraps` where a negative value was meant of numbers without sign.
pub fn of_computed(span: Span, value: i128, text: &str, (low, high): (i128, i128), wraps: bool) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("{value} does not fit `{text}`"))
        .at(span, format!("`{text}` comes to {low} to {high}"));
    if wraps { said.help("of numbers without sign, what is below 0 wraps to a large one; `as s64` gives them one") } else { said }
}
