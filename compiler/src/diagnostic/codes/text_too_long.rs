//! T0203: text-too-long. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0203", name: "text-too-long", page: include_str!("text_too_long.md") };

/// Raises it.
pub fn text_too_long(span: Span, field: &str, length: usize, room: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a text of {length} bytes cannot stand in `{field}`"))
        .at(span, format!("`{field}` holds at most {room} bytes"))
}
