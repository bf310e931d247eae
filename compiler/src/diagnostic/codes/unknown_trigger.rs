//! T0107: unknown-trigger. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0107", "unknown-trigger", include_str!("unknown_trigger.md"));

/// Raises it.
pub fn unknown_trigger(
    span: Span,
    name: &str,
    kernel: &str,
    nearest: &[String],
    known: &[&str],
) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no trigger `{name}` in {kernel}"))
        .at(span, "unknown trigger")
        .suggest(span, nearest)
        .note(format!("its triggers for this event are {}", known.join(", ")))
}

/// Raises it for a trigger that the kernel has and sessions cannot use.
pub fn not_yet(span: Span, name: &str, kernel: &str, known: &[&str]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("tracec cannot use the trigger `{name}` yet"))
        .at(span, "not in the language yet")
        .note(format!("{kernel} has it; the triggers of sessions are {}", known.join(", ")))
}
