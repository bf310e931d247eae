//! T0102: unknown-field. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0102", "unknown-field", include_str!("unknown_field.md"));

pub(crate) fn unknown_field(
    span: Span,
    name: &str,
    event: &str,
    nearest: &[String],
    known: Vec<String>,
) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("`{event}` has no field `{name}`"))
        .at(span, "unknown field")
        .suggest(span, nearest);
    if nearest.is_empty() {
        diagnostic.note(format!("its fields are {}", known.join(", ")))
    } else {
        diagnostic
    }
}
