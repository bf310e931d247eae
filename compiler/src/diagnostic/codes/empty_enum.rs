//! T0714: empty-enum. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0714", "empty-enum", include_str!("empty_enum.md"));

pub(crate) fn empty_enum(span: Span, word: &str, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{word} {name}` has no members"))
        .at(span, "expected one member or more")
}
