//! T0222: not-an-address. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code =
    Code::error("T0222", "not-an-address", include_str!("not_an_address.md"));

/// Raises it.
pub fn not_an_address(span: Span, field: Span, name: &str, field_type: &str, wants: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` cannot be compared with an address"))
        .at(span, "an address")
        .and_at(field, format!("has the type `{field_type}`"))
        .note(format!("it would have to be an integer of {wants} in network order, as `__be32`"))
}
