//! T0725: event-exists. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0725", "event-exists", Level::Warn, include_str!("event_exists.md"));

pub(crate) fn event_exists(span: Span, event: &str, kernel: &str) -> Diagnostic {
    Diagnostic::lint(&CODE, format!("{kernel} already has an event with the name `{event}`"))
        .at(span, "this name is in use")
        .note("the kernel cannot load a second event with this name")
}
