//! T0709: duplicate-member. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0709", "duplicate-member", include_str!("duplicate_member.md"));

pub(crate) fn duplicate_member(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there are two members `{name}`"))
        .at(span, "again here")
        .and_at(first, "first here")
}
