//! T0120: include-cycle. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0120", "include-cycle", include_str!("include_cycle.md"));

pub(crate) fn include_cycle(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` includes itself")).at(span, "closes the cycle")
}
