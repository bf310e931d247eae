//! T0203: text-too-long. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0203", "text-too-long", include_str!("text_too_long.md"));

/// Raises it.
pub fn text_too_long(span: Span, field: &str, length: usize, room: usize, cut: Option<String>) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("a text of {length} bytes cannot stand in `{field}`"))
        .at(span, format!("`{field}` holds at most {room} bytes"));
    match cut {
        Some(cut) => diagnostic.guess(format!("write what is left of it: `{cut}`"), span, cut),
        None => diagnostic,
    }
}
