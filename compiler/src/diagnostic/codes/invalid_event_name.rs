//! T0109: invalid-event-name. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0109", "invalid-event-name", include_str!("invalid_event_name.md"));

pub(crate) fn invalid_event_name(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{name:?} is not a valid event name"))
        .at(span, "not of the form `system:name`")
        .help("write `system:name`; both sides can contain letters, digits, `_`, `-`, `.` and the wildcards `*`, `?`, `[..]`")
}
