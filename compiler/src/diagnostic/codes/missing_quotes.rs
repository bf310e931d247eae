//! T0209: missing-quotes. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0209", name: "missing-quotes", page: include_str!("missing_quotes.md") };

/// Raises it.
pub fn missing_quotes(span: Span, word: &str, field: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word}` is no field; text stands in quotes"))
        .at(span, format!("`{field}` is text"))
        .fix(format!("write `\"{word}\"`"), span, format!("\"{word}\""))
}
