//! T0749: fetch-not-here. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

/// The code.
pub static CODE: Code = Code::error("T0749", "fetch-not-here", include_str!("fetch_not_here.md"));

/// Raises it for a kind of probe that has none.
pub fn no_fetch(span: Span, kind: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` has no fetch arguments"))
        .at(span, "the kernel's dynamic events have them")
        .help("name an argument instead")
}

/// Raises it for one that this kind has not.
pub fn fetch_not_here(span: Span, kind: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&CODE, format!("`{kind}` cannot fetch this")).at(span, why)
}
