//! T0403: not-applied. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0403", "not-applied", include_str!("not_applied.md"));

pub(crate) fn not_applied(span: Span, what: &str, instead: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{what} is valid, but not implemented yet"))
        .at(span, "no target implements this")
        .help(instead)
}
