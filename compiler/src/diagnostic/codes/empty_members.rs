//! T0218: empty-members. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0218", "empty-members", include_str!("empty_members.md"));

pub(crate) fn empty_members(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "this set is empty").at(span, "never true")
}
