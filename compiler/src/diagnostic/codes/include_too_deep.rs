//! T0121: include-too-deep. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0121", "include-too-deep", include_str!("include_too_deep.md"));

pub(crate) fn include_too_deep(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`include` is nested deeper than {most} levels"))
        .at(span, "one too many")
}
