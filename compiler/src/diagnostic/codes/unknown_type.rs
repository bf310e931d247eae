//! T0715: unknown-type. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0715", "unknown-type", include_str!("unknown_type.md"));

pub(crate) fn unknown_type(span: Span, name: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no type `{name}`"))
        .at(span, "unknown type")
        .suggest(span, nearest)
}
