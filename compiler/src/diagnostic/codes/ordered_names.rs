//! T0216: ordered-names. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0216", "ordered-names", include_str!("ordered_names.md"));

pub(crate) fn ordered_names(span: Span, op: &str, word: &str, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{op}` cannot compare members of {word} `{name}`"))
        .at(span, "members have no order")
        .help("compare with `==`, `!=` or `in`, or with the number")
}
