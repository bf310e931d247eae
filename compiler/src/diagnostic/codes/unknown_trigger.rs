//! T0107: unknown-trigger. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0107", "unknown-trigger", include_str!("unknown_trigger.md"));

pub(crate) fn unknown_trigger(
    span: Span,
    name: &str,
    kernel: &str,
    nearest: &[&str],
    known: &[&str],
) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no trigger `{name}` in {kernel}"))
        .at(span, "unknown trigger")
        .suggest(span, nearest)
        .note(format!("its triggers for this event are {}", known.join(", ")))
}

/// Reports a trigger that the kernel has and sessions cannot use.
pub(crate) fn not_yet(span: Span, name: &str, kernel: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("tracec cannot use the trigger `{name}` yet"))
        .at(span, "not implemented yet")
        .note(format!("{kernel} has it; the triggers of sessions are {}", known.join(", ")))
}
