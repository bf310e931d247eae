//! T0734: not-in-c. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0734", "not-in-c", include_str!("not_in_c.md"));

pub(crate) fn not_in_c(span: Span, what: &str, help: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} cannot be used in C"))
        .at(span, "not an expression of C")
        .help(help)
}

/// Reports a dot in the place of an arrow.
pub(crate) fn pointer_member(span: Span, fix: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "a member behind a pointer needs `->`").at(span, "a dot behind a pointer").fix(
        format!("write `{fix}`"),
        span,
        fix,
    )
}

/// Reports a value that does not exist when a record is printed.
pub(crate) fn gone(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("a template cannot use {what}"))
        .at(span, "only the record exists when it is printed")
        .help("record the value as a field")
}
