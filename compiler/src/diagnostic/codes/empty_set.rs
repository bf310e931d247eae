//! T0315: empty-set. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0315", "empty-set", include_str!("empty_set.md"));

pub(crate) fn empty_set(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "`except` removes every event").at(span, "no event is left")
}
