//! T0312: duplicate-session. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0312", "duplicate-session", include_str!("duplicate_session.md"));

pub(crate) fn duplicate_session(span: Span, first: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("two sessions are named `{name}`"))
        .at(span, "again")
        .and_at(first, "first here")
}
