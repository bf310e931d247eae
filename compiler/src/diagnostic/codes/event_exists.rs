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

/// Reports a tracepoint with the name of an event of another system.
pub(crate) fn of_another_system(span: Span, event: &str, kernel: &str) -> Diagnostic {
    let name = event.split_once(':').map_or(event, |(_, name)| name);
    Diagnostic::lint(&CODE, format!("{kernel} has an event `{event}`, which has the same name"))
        .at(span, "this name is in use")
        .note(format!(
            "the symbol of a tracepoint has no subsystem in its name: `__tracepoint_{name}`. A module with it cannot be \
             built if the kernel exports its own, and a kernel cannot have both built in"
        ))
}
