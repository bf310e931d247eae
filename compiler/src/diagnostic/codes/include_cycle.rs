//! T0120: include-cycle. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0120", "include-cycle", include_str!("include_cycle.md"));

/// Raises it.
pub fn include_cycle(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` includes itself")).at(span, "is being included already")
}
