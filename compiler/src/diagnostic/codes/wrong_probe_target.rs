//! T0744: wrong-probe-target. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::grouped::Grouped;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0744", "wrong-probe-target", include_str!("wrong_probe_target.md"));

/// Raises it.
pub fn wrong_probe_target(span: Span, kind: &str, wants: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` cannot be put here")).at(span, format!("expected {wants}"))
}

/// Raises it for an offset where only a function's start or end is meant.
pub fn offset(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` is at a whole function"))
        .at(span, "no offset here")
        .help("`kprobe` takes an offset")
}

/// Raises it for a pattern that means several events.
pub fn several(span: Span, count: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("these are {} events", Grouped(count))).at(span, "expected one")
}

/// Raises it for a tracepoint of the text with a field whose size is not known.
pub fn no_layout(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the layout of `{name}` is known to a C compiler alone"))
        .at(span, "a header gives the size of one of its fields")
}

/// Raises it for an event that is a probe itself.
pub fn of_probe(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` is a probe, and the kernel puts no probe on another"))
        .at(span, "expected an event of the kernel, or a tracepoint that is defined here")
}
