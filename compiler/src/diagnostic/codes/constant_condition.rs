//! T0210: constant-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

/// The code.
pub static CODE: Code =
    Code::lint("T0210", "constant-condition", Level::Warn, include_str!("constant_condition.md"));

/// Raises it.
pub fn constant_condition(span: Span, value: bool) -> Diagnostic {
    let says = if value { "always true" } else { "never true" };
    Diagnostic::lint(&CODE, format!("this condition is {says}")).at(span, says)
}
