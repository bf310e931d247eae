//! T0129: unknown-value. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code =
    Code::error("T0129", "unknown-value", include_str!("unknown_value.md"));

/// Raises it.
pub fn unknown_value(span: Span, word: &str, field: &str, near: &[String], known: &[&str]) -> Diagnostic {
    let said = Diagnostic::error(&CODE, format!("`{word}` is no value of `{field}`"))
        .at(span, "neither a field nor a constant")
        .suggest(span, near);
    let some = known.iter().take(12).copied().collect::<Vec<_>>().join(", ");
    let more = known.len().saturating_sub(12);
    match more {
        0 => said.note(format!("the kernel prints its values as {some}")),
        more => said.note(format!("the kernel prints its values as {some} and {more} more")),
    }
}
