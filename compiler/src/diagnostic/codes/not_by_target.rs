//! T0408: not-by-target. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0408", "not-by-target", include_str!("not_by_target.md"));

/// Raises it for what `target` does not carry out and another target does; `instead` is an order.
pub fn not_by_target(span: Span, what: &str, target: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the target `{target}` cannot carry out {what}"))
        .at(span, format!("not by `{target}`"))
        .help(instead)
}
