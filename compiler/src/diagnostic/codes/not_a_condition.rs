//! T0206: not-a-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0206", "not-a-condition", include_str!("not_a_condition.md"));

pub(crate) fn not_a_condition(span: Span, is: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{is} is not a condition")).at(span, "expected a comparison")
}
