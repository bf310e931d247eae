//! T0215: positive-errno. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code =
    Code::lint("T0215", "positive-errno", Level::Deny, include_str!("positive_errno.md"));

pub(crate) fn positive_errno(span: Span, field: &str) -> Diagnostic {
    let before = span.before();
    Diagnostic::lint(&CODE, format!("`{field}` is signed, and the kernel's errors are negative"))
        .at(span, "positive, as in C")
        .guess("write `-` before it", before, "-")
}
