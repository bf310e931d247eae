//! T0744: wrong-probe-target. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0744", "wrong-probe-target", include_str!("wrong_probe_target.md"));

pub(crate) fn wrong_probe_target(span: Span, kind: &str, wants: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` cannot be used here")).at(span, format!("expected {wants}"))
}

/// Reports an offset for a kind of probe that is at the start or end of a function.
pub(crate) fn offset(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` takes no offset"))
        .at(span, "no offset here")
        .help("use `kprobe`, which takes an offset")
}

/// Reports a pattern that matches several events.
pub(crate) fn several(span: Span, count: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("this names {} events", Grouped(count))).at(span, "expected one")
}

/// Reports a tracepoint of the text that has a field of unknown size.
pub(crate) fn no_layout(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("only a C compiler knows the layout of `{name}`"))
        .at(span, "a header gives the size of one of its fields")
}

/// Reports an event that is a probe.
pub(crate) fn of_probe(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is a probe, and the kernel cannot probe a probe"))
        .at(span, "expected an event of the kernel, or a tracepoint that is defined here")
}
