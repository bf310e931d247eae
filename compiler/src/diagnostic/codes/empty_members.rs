//! T0218: empty-members. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0218", "empty-members", include_str!("empty_members.md"));

/// Raises it.
pub fn empty_members(span: Span) -> Diagnostic {
    Diagnostic::error(&CODE, "nothing is in an empty set").at(span, "never true")
}
