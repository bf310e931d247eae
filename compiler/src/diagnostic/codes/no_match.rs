//! T0104: no-match. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0104", "no-match", include_str!("no_match.md"));

pub(crate) fn no_match(span: Span, pattern: &str, kernel: &str, nearest: &[String]) -> Diagnostic {
    Diagnostic::error(&CODE, format!("no event of {kernel} matches `{pattern}`"))
        .at(span, "matches nothing")
        .suggest(span, nearest)
}
