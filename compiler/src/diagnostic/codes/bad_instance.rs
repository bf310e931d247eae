//! T0318: bad-instance. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0318", "bad-instance", include_str!("bad_instance.md"));

pub(crate) fn bad_instance(span: Span, name: &str, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("{name:?} is not a valid instance name"))
        .at(span, "invalid name")
        .note(reason)
}
