//! T0214: user-memory. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0214", "user-memory", include_str!("user_memory.md"));

pub(crate) fn user_memory(span: Span, field: &str, event: &str) -> Diagnostic {
    let behind = span.behind();
    Diagnostic::error(&CODE, format!("`{field}` of `{event}` points to user memory"))
        .at(span, "user memory")
        .note("the kernel's filter would follow the address in kernel memory and never match")
        .fix(format!("write `{field}.ustring`"), behind, ".ustring")
}
