//! T0310: empty-session. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0310", "empty-session", include_str!("empty_session.md"));

pub(crate) fn empty_session(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "this session has no events")
        .at(span, "nothing to record, nothing to trigger")
        .help("add a clause: `trace SYSTEM:EVENT;`")
}

/// Reports a session that names events, and whose conditions are never true.
pub(crate) fn never(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "the conditions of this session are never true")
        .at(span, "nothing is ever recorded or triggered")
}
