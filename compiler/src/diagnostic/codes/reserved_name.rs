//! T0720: reserved-name. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0720", "reserved-name", include_str!("reserved_name.md"));

pub(crate) fn reserved_name(span: Span, name: &str, what: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be called `{name}`")).at(span, why)
}
