//! T0722: duplicate-name. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0722", "duplicate-name", include_str!("duplicate_name.md"));

pub(crate) fn duplicate_name(span: Span, first: Span, what: &str, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is {what} `{name}` already"))
        .at(span, "again here")
        .and_at(first, "first here")
}
