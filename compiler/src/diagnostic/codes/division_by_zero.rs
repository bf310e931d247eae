//! T0705: division-by-zero. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0705", "division-by-zero", include_str!("division_by_zero.md"));

pub(crate) fn division_by_zero(op: Span, divisor: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "division by zero").at(divisor, "this is zero").and_at(op, "divided here")
}
