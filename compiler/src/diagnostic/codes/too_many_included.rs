//! T0137: too-many-included. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0137", "too-many-included", include_str!("too_many_included.md"));

pub(crate) fn too_many_included(span: Span, most: usize) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`include` expands to more than {most} clauses"))
        .at(span, "one too many")
}
