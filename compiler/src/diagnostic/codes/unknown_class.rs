//! T0736: unknown-class. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0736", "unknown-class", include_str!("unknown_class.md"));

pub(crate) fn unknown_class(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no class `{name}`"))
        .at(span, "unknown class")
        .suggest(span, nearest)
}
