//! T0113: no-variant. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code =
    Code::error("T0113", "no-variant", include_str!("no_variant.md"));

/// Raises it.
pub fn no_variant(span: Span, path: &str, target: &str, known: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{path}` is not known for {target}"))
        .at(span, "depends on the kernel")
        .note(format!("it is known for {}", known.join(", ")))
}
