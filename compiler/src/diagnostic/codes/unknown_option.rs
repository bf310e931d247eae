//! T0105: unknown-option. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0105", "unknown-option", include_str!("unknown_option.md"));

pub(crate) fn unknown_option(span: Span, name: &str, kernel: &str, nearest: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{kernel} has no trace option `{name}`"))
        .at(span, "unknown option")
        .suggest(span, nearest)
}
