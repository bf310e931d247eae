//! T0904: unknown-level. The page beside this file says what it means.

use tracec_grammar::span::Span;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Code, Diagnostic, Level};

pub(crate) static CODE: Code = Code::error("T0904", "unknown-level", include_str!("unknown_level.md"));

pub(crate) fn unknown_level(span: Span, word: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("there is no level `{word}`"))
        .at(span, "expected `allow`, `warn` or `deny`")
        .suggest(span, nearest(word, Level::ALL.map(Level::word), 1))
}
