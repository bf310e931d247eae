//! T0316: useless-except. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code { id: "T0316", name: "useless-except", page: include_str!("useless_except.md") };

/// Raises it.
pub fn useless_except(span: Span) -> Diagnostic {
    Diagnostic::warning(&CODE, "this takes nothing out").at(span, "not among the events named")
}
