//! T0401: not-in-kernel. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0401", "not-in-kernel", include_str!("not_in_kernel.md"));

pub(crate) fn not_in_kernel(span: Span, event: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the kernel's filter of `{event}` cannot express this condition"))
        .at(span, "no exact filter text")
        .note(reason)
}
