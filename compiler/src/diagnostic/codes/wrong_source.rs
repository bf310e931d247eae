//! T0731: wrong-source. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0731", "wrong-source", include_str!("wrong_source.md"));

pub(crate) fn wrong_source(span: Span, name: &str, ty: &str, wants: &str, found: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{name}` cannot be set to {found}"))
        .at(span, format!("`{ty}` needs {wants}"))
}
