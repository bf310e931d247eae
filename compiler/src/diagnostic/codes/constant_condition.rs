//! T0210: constant-condition. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0210", name: "constant-condition", page: include_str!("constant_condition.md") };

/// Raises it.
pub fn constant_condition(span: Span, value: bool) -> Diagnostic {
    let says = if value { "always true" } else { "never true" };
    Diagnostic::warning(&CODE, format!("this condition is {says}")).at(span, says)
}
