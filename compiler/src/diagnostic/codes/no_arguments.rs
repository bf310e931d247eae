//! T0726: no-arguments. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0726", "no-arguments", include_str!("no_arguments.md"));

/// Reports a tracepoint without `proto`.
pub(crate) fn no_proto(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` has no arguments"))
        .at(span, "no `proto` in its block")
        .help("write `proto (name: type, ..)`: the arguments that the kernel's code passes to the tracepoint")
}

/// Reports a tracepoint with an empty `proto`.
pub(crate) fn no_arguments(span: Span, name: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` has no arguments"))
        .at(span, "expected one or more")
        .note("the macros that define a tracepoint need one argument or more")
}
