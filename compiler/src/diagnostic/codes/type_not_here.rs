//! T0716: type-not-here. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0716", "type-not-here", include_str!("type_not_here.md"));

pub(crate) fn type_not_here(span: Span, what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be used here")).at(span, "not here").help(help)
}
