//! T0314: no-trigger. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0314", "no-trigger", include_str!("no_trigger.md"));

pub(crate) fn no_trigger(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`on` without a trigger does nothing").at(span, "expected `{ trigger ..; }`")
}
