//! T0749: fetch-not-here. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code = Code::error("T0749", "fetch-not-here", include_str!("fetch_not_here.md"));

/// Reports a fetch argument in a kind of probe that has none.
pub(crate) fn no_fetch(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` has no fetch arguments"))
        .at(span, "only dynamic events of the kernel have them")
        .help("name an argument instead")
}

/// Reports a fetch argument that this kind of probe does not have.
pub(crate) fn fetch_not_here(span: Span, kind: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` cannot fetch this")).at(span, why)
}
