//! T0103: ambiguous-event. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0103", "ambiguous-event", include_str!("ambiguous_event.md"));

pub(crate) fn ambiguous_event(span: Span, name: &str, candidates: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is ambiguous: several systems have an event of this name"))
        .at(span, "expected `system:name`")
        .note(format!("the candidates are {}", candidates.join(", ")))
        .suggest(span, candidates)
}
