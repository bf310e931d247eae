//! T0107: unknown-trigger. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::tables::triggers::{self, Slot};

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0107", "unknown-trigger", include_str!("unknown_trigger.md"));

pub(crate) fn unknown_trigger(
    span: Span,
    name: &str,
    kernel: &str,
    nearest: &[&str],
    known: &[&str],
) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no trigger `{name}` in {kernel}"))
        .at(span, "unknown trigger")
        .suggest(span, nearest)
        .note(format!("its triggers for this event are {}", known.join(", ")));
    let known_elsewhere = triggers::find(name).filter(|kind| kind.slot == Slot::Snapshot);
    match known_elsewhere.and_then(|kind| kind.needs) {
        Some(option) => diagnostic
            .note(format!("kernels that are built with {option} have it"))
            .help("write `dump on EVENT to \"FILE-{n}.dat\";` into the session: it needs no snapshots"),
        None => diagnostic,
    }
}

/// Reports a trigger that the kernel lists and that sessions cannot say: its command has parts that the language lacks.
pub(crate) fn without_form(span: Span, name: &str, kernel: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("tracec cannot use the trigger `{name}` yet"))
        .at(span, "not implemented yet")
        .note(format!("{kernel} has it"))
}
