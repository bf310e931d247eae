//! T0303: trigger-slot-taken. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0303", "trigger-slot-taken", include_str!("trigger_slot_taken.md"));

pub(crate) fn trigger_slot_taken(span: Span, first: Span, event: &str, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{event}` already has the trigger `{what}`"))
        .at(span, "the kernel would refuse this one")
        .and_at(first, "first here")
}
