//! T0719: struct-by-value. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0719", "struct-by-value", include_str!("struct_by_value.md"));

pub(crate) fn struct_by_value(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "an argument cannot be a struct")
        .at(span, "does not fit a register")
        .guess("pass a pointer", span, format!("*{ty}"))
        .note("BPF programs take arguments of 1, 2, 4 or 8 bytes only, and cannot be attached to a tracepoint with others")
}
