//! T0316: useless-except. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0316", "useless-except", Level::Warn, include_str!("useless_except.md"));

pub(crate) fn useless_except(span: Span) -> Diagnostic {
    Diagnostic::lint(&CODE, "this part of `except` removes no event").at(span, "not among the events named")
}
