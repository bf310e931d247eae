//! T0718: unknown-size. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0718", "unknown-size", include_str!("unknown_size.md"));

pub(crate) fn unknown_size(span: Span, ty: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the size of `{ty}` is unknown"))
        .at(span, "its layout depends on the kernel")
        .help("record the pointer, or the members that you need; a module can hold it if its header is included")
}
