//! T0108: not-traceable. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0108", "not-traceable", include_str!("not_traceable.md"));

pub(crate) fn not_traceable(span: Span, event: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{event}` cannot be enabled as an event"))
        .at(span, "has no `enable` file")
        .note("events of the system `ftrace` describe records that tracers and the kernel itself write")
}
