//! T0207: not-on-integer. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0207", name: "not-on-integer", page: include_str!("not_on_integer.md") };

/// Raises it.
pub fn not_on_integer(span: Span, text: &str, op: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`!` takes a condition, not an integer")
        .at(op, "negates a condition")
        .and_at(span, "an integer")
        .fix(format!("write `{text} == 0`"), op.to(span), format!("{text} == 0"))
}
