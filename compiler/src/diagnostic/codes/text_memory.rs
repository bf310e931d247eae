//! T0753: text-memory. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0753", "text-memory", include_str!("text_memory.md"));

/// Reports a string type for the other memory. `user` says that the pointer points to user memory.
pub(crate) fn text_memory(span: Span, name: &str, user: bool) -> Diagnostic {
    let (memory, other, right) =
        if user { ("user", "kernel", "user string") } else { ("kernel", "user", "string") };
    Diagnostic::error(&CODE, format!("`{name}` points to {memory} memory"))
        .at(span, format!("reads {other} memory"))
        .guess(format!("write `{right}`"), span, right)
}
