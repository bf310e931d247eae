//! T0317: bad-scope. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0317", "bad-scope", include_str!("bad_scope.md"));

pub(crate) fn bad_scope(span: Span, reason: &str) -> Diagnostic {
    Diagnostic::error(&CODE, "invalid scope").at(span, reason)
}
