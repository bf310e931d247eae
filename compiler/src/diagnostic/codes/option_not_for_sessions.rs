//! T0304: option-not-for-sessions. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0304", "option-not-for-sessions", include_str!("option_not_for_sessions.md"));

pub(crate) fn option_not_for_sessions(span: Span, name: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a session cannot set the option `{name}`"))
        .at(span, "not an option of one instance")
        .note(why)
}
