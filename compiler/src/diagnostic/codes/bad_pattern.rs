//! T0243: bad-pattern. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0243", "bad-pattern", include_str!("bad_pattern.md"));

/// Reports an invalid pattern; `why` is a clause without its subject.
pub(crate) fn bad_pattern(span: Span, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("the pattern {why}"))
        .at(span, "invalid pattern")
        .note("a pattern consists of `*`, `?`, `[a-z]`, `[!a-z]`, `\\c` for the character c, and characters that match themselves")
}
