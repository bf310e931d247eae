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

/// Reports a trigger that the kernel lists and that sessions cannot say: its command has parts that the language lacks.
pub(crate) fn without_form(span: Span, name: &str, kernel: &str) -> Diagnostic {
    Diagnostic::error(&CODE, not_yet_message(name)).at(span, NOT_YET).note(format!("{kernel} has it"))
}

/// Reports a trigger that no target supports yet; `instead` is an order.
pub(crate) fn not_yet(span: Span, name: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, not_yet_message(name)).at(span, NOT_YET).help(instead)
}

const NOT_YET: &str = "not implemented yet";

fn not_yet_message(name: &str) -> String {
    format!("tracec cannot use the trigger `{name}` yet")
}
